"""Reads the event file with TensorBoard's own reader."""

import sys

from records import compare, recorded
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

path, out = sys.argv[1:]
events = EventAccumulator(out)
events.Reload()
values = {(event.step, tag): event.value for tag in events.Tags()["scalars"] for event in events.Scalars(tag)}
count = compare(recorded(path), lambda step, name: values.get((step, name)), 1e-6)
print(f"EventAccumulator reads {len(events.Tags()['scalars'])} series; {count} values of metrics.jsonl are in them, to float32.")
