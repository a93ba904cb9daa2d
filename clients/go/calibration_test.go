package groundwire_test

import (
	"context"
	"math"
	"testing"

	pb "github.com/groundwire/groundwire/clients/go/groundwirev1"
)

// describing is a server that describes itself so.
func describing(info *pb.GetServerInfoResponse) *scripted {
	return &scripted{
		info: func(context.Context, *pb.GetServerInfoRequest) (*pb.GetServerInfoResponse, error) {
			return info, nil
		},
	}
}

func TestTheProbabilityOfAnOlderServerIsWhatWasRead(t *testing.T) {
	got, err := connect(t, answering(read(0.25))).Estimate(t.Context(), "claim", "evidence")
	if err != nil {
		t.Fatal(err)
	}
	if got.Probability != 0.25 || got.RawProbability != 0.25 || got.Calibrated {
		t.Errorf("got %+v", got)
	}
}

func TestWithoutAProbabilityTheRawOneIsNaN(t *testing.T) {
	got, err := connect(t, answering(unread())).Estimate(t.Context(), "claim", "evidence")
	if err != nil || !math.IsNaN(got.RawProbability) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestAServerWithoutCalibrationAndIdentityIsDescribedSo(t *testing.T) {
	got, err := connect(t, describing(&pb.GetServerInfoResponse{})).ServerInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got.Identity != "" || got.Calibration != nil {
		t.Errorf("got %+v", got)
	}
}
