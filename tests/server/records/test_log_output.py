"""Standard error by a thread: nothing waits for who reads, and what is lost is counted."""

import os
import threading

from groundwire_server.records import log_output
from groundwire_server.records.log_output import LogOutput

LINE = "a line\n"


def test_what_nobody_reads_is_dropped_and_counted() -> None:
    reading, writing = os.pipe()
    output = LogOutput(writing)
    wanted = log_output.MOST_WAITING_BYTES + (1 << 20)
    for _ in range(wanted // 1000):
        output.write("x" * 1000)
    assert output.counts.dropped > 0
    found = 0
    while found < log_output.MOST_WAITING_BYTES // 2:
        found += len(os.read(reading, 1 << 16))
    os.close(reading)  # what is left fails, and is counted
    output.end()
    counts = output.counts
    assert counts.written + counts.failed + counts.dropped == wanted // 1000


def test_lines_come_out_whole_and_in_order() -> None:
    reading, writing = os.pipe()
    output = LogOutput(writing)
    for number in range(100):
        print(f"line {number}", file=output)
    output.end()
    os.close(writing)
    with open(reading) as lines:
        assert lines.read().splitlines() == [f"line {number}" for number in range(100)]


def test_many_threads_share_it() -> None:
    reading, writing = os.pipe()
    output = LogOutput(writing)
    threads = [threading.Thread(target=lambda: output.write(LINE)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    output.end()
    os.close(writing)
    with open(reading) as lines:
        assert lines.read() == LINE * 8
