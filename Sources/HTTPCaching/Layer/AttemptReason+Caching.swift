public import HTTPMessages

extension AttemptReason {
    /// A stale response was served, and is confirmed or replaced in the background (`stale-while-revalidate`).
    public static let revalidation = AttemptReason("revalidation")
}
