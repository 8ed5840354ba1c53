public import HTTPMessages

extension AttemptReason {
    /// A download continues where it was interrupted, in this process or before.
    public static let continuation = AttemptReason("continuation")
}
