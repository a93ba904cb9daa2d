"""Writes the Grafana dashboard beside this file, from the panels below.

    pip install 'grafana-foundation-sdk==1769699379!11.6.0'     (in an environment of its own)
    python deploy/grafana/build.py             writes groundwire.json
    python deploy/grafana/build.py --check     exits with 1 if it would write something else

`deploy.checks.dashboard` asks a real Prometheus for every expression.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grafana_foundation_sdk.builders import common, dashboard, prometheus, stat, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common as shapes
from grafana_foundation_sdk.models import dashboard as models

FILE = Path(__file__).with_name("groundwire.json")
SOURCE = models.DataSourceRef(type_val="prometheus", uid="${datasource}")
WIDTH, HEIGHT, STAT_WIDTH, STAT_HEIGHT = 8, 8, 4, 4

# Grafana puts the chosen servers and a range in that fits the resolution.
AT = 'instance=~"$instance"'
RANGE = "$__rate_interval"
METHODS = "EstimateProbability|BatchEstimate|VerifyClaims|VerifyAnswer.*|VerifyDraft"
VERIFYING = f'{AT}, method=~"{METHODS}"'
"""Calls that the latency target is for."""

BY_LOAD = (
    f'{AT}, reason=~"QUEUE_FULL|OVERLOADED|DEADLINE_EXCEEDED|BACKEND_BUSY|BACKEND_UNREACHABLE'
    '|SPENDING_LIMIT"'
)
"""Errors that are not the caller's: the alert GroundwireRefuses has the same."""


def rate(name: str, by: str = "", where: str = AT) -> str:
    """How often something is counted, in 1/s, by labels."""
    return f"sum{f' by ({by}) ' if by else ''}(rate({name}{{{where}}}[{RANGE}]))"


def quantile(share: float, name: str, by: str = "") -> str:
    """A quantile of a histogram, by a label if there is one."""
    return f"histogram_quantile({share:g}, {rate(f'{name}_bucket', f'le, {by}' if by else 'le')})"


def mean(name: str, by: str) -> str:
    """The mean of a histogram, by labels."""
    return f"{rate(f'{name}_sum', by)} / {rate(f'{name}_count', by)}"


def of_servers(expression: str) -> str:
    """Of a metric that other programs have, too, what is of our servers, whatever their job."""
    return f"({expression} and on (instance) groundwire_pending_calls)"


def in_time(by: str = "") -> str:
    """The share of answered calls within their target."""
    name = "groundwire_call_target_share"
    within = rate(f"{name}_bucket", by, f'{VERIFYING}, le="1.0"')
    return f"{within} / {rate(f'{name}_count', by, VERIFYING)}"


@dataclass(frozen=True, slots=True)
class Graph:
    """Expressions over time with their legends, and what a reader has to know of them."""

    title: str
    text: str
    unit: str
    queries: Sequence[tuple[str, str]]

    def panel(self) -> timeseries.Panel:
        """As Grafana has it."""
        legend = common.VizLegendOptions().display_mode(shapes.LegendDisplayMode.LIST)
        panel = (
            timeseries.Panel()
            .title(self.title)
            .description(self.text)
            .unit(self.unit)
            .min(0)
            .legend(legend.placement(shapes.LegendPlacement.BOTTOM).show_legend(True))
            .tooltip(common.VizTooltipOptions().mode(shapes.TooltipDisplayMode.MULTI))
            .fill_opacity(10)
            .show_points(shapes.VisibilityMode.NEVER)
            .datasource(SOURCE)
            .span(WIDTH)
            .height(HEIGHT)
        )
        for letter, (expression, name) in zip("ABCDEF", self.queries, strict=False):
            panel = panel.with_target(query(expression, name, letter).range())
        return panel


@dataclass(frozen=True, slots=True)
class Figure:
    """One number, red from `bad` on, or below `good` where that is given."""

    title: str
    text: str
    unit: str
    expression: str
    bad: float | None = None
    good: float | None = None

    def panel(self) -> stat.Panel:
        """As Grafana has it."""
        steps = [models.Threshold(value=None, color="green" if self.good is None else "red")]
        if self.good is not None:
            steps.append(models.Threshold(value=self.good, color="green"))
        if self.bad is not None:
            steps.append(models.Threshold(value=self.bad, color="red"))
        thresholds = dashboard.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(steps)
        return (
            stat.Panel()
            .title(self.title)
            .description(self.text)
            .unit(self.unit)
            .thresholds(thresholds)
            .reduce_options(common.ReduceDataOptions().calcs(["lastNotNull"]))
            .datasource(SOURCE)
            .span(STAT_WIDTH)
            .height(STAT_HEIGHT)
            .with_target(query(self.expression, "", "A").range())
        )


def query(expression: str, legend: str, letter: str) -> prometheus.Dataquery:
    """An expression that Prometheus is asked for."""
    asked = prometheus.Dataquery().expr(expression).ref_id(letter).datasource(SOURCE)
    return asked.legend_format(legend) if legend else asked


ROWS: Sequence[tuple[str, Sequence[Graph | Figure]]] = (
    ("Is it well?", (
        Figure("Backends that answer", "Of all servers, all that are set up.", "short",
               f"sum(groundwire_backend_serving{{{AT}}})", good=1),
        Figure("Up for", "The server that was started last.", "s",
               f"time() - max{of_servers(f'process_start_time_seconds{{{AT}}}')}"),
        Figure("Calls", "Ended, whatever came of them.", "reqps",
               rate("groundwire_call_duration_seconds_count")),
        Figure("In time", "Verifications answered within 500 ms + N x 100 ms.", "percentunit",
               in_time(), good=0.95),
        Figure("Turned away", "Calls refused by load or out of time.", "percentunit",
               f"({rate('groundwire_call_errors_total', '', BY_LOAD)} or vector(0)) / "
               f"{rate('groundwire_call_duration_seconds_count')}", bad=0.05),
        Figure("Claims in the server", "They wait or run.", "short",
               f"sum(groundwire_pending_claims{{{AT}}})"),
    )),
    ("Latency", (
        Graph("Time of calls", "From the first byte to the last.", "s", (
            (quantile(0.5, "groundwire_call_duration_seconds", "method"), "p50 {{method}}"),
            (quantile(0.95, "groundwire_call_duration_seconds", "method"), "p95 {{method}}"))),
        Graph("p95 over the target", "1 is 500 ms + N x 100 ms; answered calls only.", "short", (
            (quantile(0.95, "groundwire_call_target_share", "method"), "{{method}}"),)),
        Graph("In time, by claims of a call", "Share of answered verifications.", "percentunit", (
            (in_time("claims"), "{{claims}} claims"),)),
        Graph("Waiting and computing", "Until the engine ran the first prompt; and on all.", "s", (
            (quantile(0.95, "groundwire_queue_duration_seconds", "backend"),
             "p95 wait {{backend}}"),
            (quantile(0.95, "groundwire_inference_duration_seconds", "backend"),
             "p95 compute {{backend}}"))),
        Graph("Foreseen", "How far calls are from what was foreseen, as a share of their time.",
              "percentunit", (
                  (f"{rate('groundwire_prediction_absolute_error_seconds_total', 'backend')} / "
                   f"{rate('groundwire_prediction_actual_seconds_total', 'backend')}",
                   "{{backend}}"),)),
        Graph("Claims of a call", "Mean and p95.", "short", (
            (mean("groundwire_batch_size", "backend"), "mean {{backend}}"),
            (quantile(0.95, "groundwire_batch_size", "backend"), "p95 {{backend}}"))),
    )),
    ("Load and refusals", (
        Graph("Calls by status", "Ended calls.", "reqps", (
            (rate("groundwire_call_duration_seconds_count", "code"), "{{code}}"),)),
        Graph("Errors by reason", "As in ErrorInfo.", "reqps", (
            (rate("groundwire_call_errors_total", "reason"), "{{reason}}"),)),
        Graph("In the server", "Wait or run.", "short", (
            (f"sum by (instance) (groundwire_pending_claims{{{AT}}})", "claims {{instance}}"),
            (f"sum by (instance) (groundwire_pending_calls{{{AT}}})", "calls {{instance}}"))),
        Graph("Bytes of requests", "In the server.", "bytes", (
            (f"sum by (instance) (groundwire_pending_bytes{{{AT}}})", "{{instance}}"),)),
        Graph("Refused as they would be late", "Of calls whose time was foreseen.", "reqps", (
            (rate("groundwire_prediction_refused_total", "backend"), "refused {{backend}}"),
            (rate("groundwire_prediction_calls_total", "backend"), "foreseen {{backend}}"))),
        Graph("Wait to come", "Until all that is there now is read: replicas are scaled by it.",
              "s", (
                  (f"max by (instance, backend) (groundwire_predicted_wait_seconds{{{AT}}})",
                   "{{instance}} {{backend}}"),)),
        Graph("Starts", "Each is an engine that died, a crash, or somebody's.", "short", (
            (of_servers(f"changes(process_start_time_seconds{{{AT}}}[1h])"), "{{instance}}"),)),
    )),
    ("What was found", (
        Graph("Claims verified", "With a verdict or an estimate.", "cps", (
            (rate("groundwire_claims_verified_total", "method"), "{{method}}"),)),
        Graph("Verdicts", "All claims, those that nobody read among them.", "cps", (
            (rate("groundwire_verdicts_total", "verdict"), "{{verdict}}"),)),
        Graph("Why not", "Verdicts other than SUPPORTED.", "cps", (
            (rate("groundwire_verdicts_total", "reason", f'{AT}, verdict!="SUPPORTED"'),
             "{{reason}}"),)),
        Graph("Not grounded", "Claims, answers of traces, and responses.", "cps", (
            (rate("groundwire_hallucinations_total", "status"), "{{status}}"),)),
        Graph("Facts of the memory gate", "By decision.", "cps", (
            (rate("groundwire_facts_total", "decision, reason"), "{{decision}} {{reason}}"),)),
        Graph("Traces", "Their steps, and whether their answers follow.", "cps", (
            (rate("groundwire_trace_steps_total", "status"), "step {{status}}"),
            (rate("groundwire_trace_answers_total", "status"), "answer {{status}}"))),
        Graph("Responses", "By the action that was suggested.", "cps", (
            (rate("groundwire_assessments_total", "action"), "{{action}}"),)),
        Graph("Layers of assessments", "By whether they ran.", "cps", (
            (rate("groundwire_assessment_layers_total", "layer, state"), "{{layer}} {{state}}"),)),
        Graph("Time of layers", "p95 of those that ran.", "s", (
            (quantile(0.95, "groundwire_assessment_layer_duration_seconds", "layer"),
             "{{layer}}"),)),
        Graph("Sentences by similarity", "Whether one is like a context.", "cps", (
            (rate("groundwire_similarity_sentences_total", "supported"),
             "supported {{supported}}"),)),
    )),
    ("Model", (
        Graph("Label mass", "Probability on YES and NO together. A drift is a changed model, "
              "prompt or kind of text.", "percentunit", (
                  (mean("groundwire_label_mass", "backend"), "mean {{backend}}"),
                  (quantile(0.05, "groundwire_label_mass", "backend"), "p5 {{backend}}"))),
        Graph("Estimates", "By whether they have a probability.", "cps", (
            (rate("groundwire_claims_total", "answered"), "answered {{answered}}"),)),
        Graph("Tokens", "Computed, and taken from the engine's cache.", "short", (
            (rate("groundwire_tokens_total", "kind"), "{{kind}} a second"),)),
        Graph("Cache of readings", "Prompts by what was known.", "cps", (
            (rate("groundwire_result_cache_prompts_total", "result"), "{{result}}"),)),
        Graph("Hit rate", "Since the start of each server.", "percentunit", (
            (f"groundwire_result_cache_hit_rate{{{AT}}}", "{{instance}} {{backend}}"),)),
        Graph("Backends that answer", "1 or 0.", "short", (
            (f"groundwire_backend_serving{{{AT}}}", "{{instance}} {{backend}}"),)),
    )),
    ("Background and records", (
        Graph("Outputs", "What became of them.", "cps", (
            (rate("groundwire_outputs_total", "event"), "{{event}}"),)),
        Graph("Outputs that wait", "Or run.", "short", (
            (f"sum by (instance) (groundwire_queued_outputs{{{AT}}})", "{{instance}}"),)),
        Graph("Bytes of outputs", "In their stores.", "bytes", (
            (f"sum by (instance) (groundwire_queued_bytes{{{AT}}})", "{{instance}}"),)),
        Graph("Records", "For audit and feedback; what failed or was dropped is lost.", "cps", (
            (rate("groundwire_records_total", "place, result"), "{{place}} {{result}}"),)),
        Graph("Feedback", "What people said of claims.", "cps", (
            (rate("groundwire_feedback_total", "verdict"), "{{verdict}}"),)),
        Graph("Process", "Of the server, without its engine.", "short", (
            (of_servers(f"rate(process_cpu_seconds_total{{{AT}}}[{RANGE}])"), "cores {{instance}}"),
            (f"{of_servers(f'process_resident_memory_bytes{{{AT}}}')} / 2^30",
             "GiB {{instance}}"))),
    )),
)  # fmt: skip


def build() -> str:
    """The dashboard as JSON."""
    instances = dashboard.QueryVariable("instance").label("Server").datasource(SOURCE)
    board = (
        dashboard.Dashboard("Groundwire")
        .uid("groundwire")
        .description("Calls, latency, verdicts and the model of Groundwire servers.")
        .tags(["groundwire"])
        .timezone("browser")
        .refresh("30s")
        .time("now-1h", "now")
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .with_variable(dashboard.DatasourceVariable("datasource").label("Data").type("prometheus"))
        .with_variable(
            instances.query("label_values(groundwire_backend_serving, instance)")
            .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
            .multi(True)
            .include_all(True)
            .all_value(".*")
        )
    )
    for title, panels in ROWS:
        board = board.with_row(dashboard.Row(title))
        for panel in panels:
            board = board.with_panel(panel.panel())
    shown = json.loads(json.dumps(board.build(), cls=JSONEncoder))
    for number, panel in enumerate(shown["panels"], 1):
        # Grafana would number them anew at each start.
        panel["id"] = number
    return json.dumps(shown, indent=2, sort_keys=True) + "\n"


def main() -> int:
    """Write the file, or compare it. Returns the exit code."""
    text = build()
    if "--check" not in sys.argv[1:]:
        FILE.write_text(text, encoding="utf-8")
        return 0
    is_same = FILE.read_text(encoding="utf-8") == text
    print(f"{FILE.name} is {'what' if is_same else 'not what'} build.py makes")
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
