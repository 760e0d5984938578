// Said in place of what only the engine could tell of a step.

/** What of a step is beside a save is looked at alone: the engine has to have kept the step for more. */
export function RecordNote() {
  return (
    <p className="note">
      Only the record of this step is here, from the run's folder: for an explanation, other tokens or other rewards the engine itself must
      have kept the step.
    </p>
  );
}
