/// What to do with a part of a stream that cannot be used, such as a line that is not JSON.
public enum InvalidPartPolicy: Sendable {
    /// Throw its error, which ends the sequence and lets go of what it reads from.
    case refused
    /// Report its error and go on behind it. The closure is called where the sequence is read, before the next value.
    case skipped(report: @Sendable (StreamDecodingError) -> Void)
}
