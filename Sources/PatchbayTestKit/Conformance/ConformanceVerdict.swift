/// The result of a case that did not fail.
public enum ConformanceVerdict: Hashable, Sendable {
    /// The subject conforms.
    case passed
    /// The subject lacks a capability; the text names it.
    case notApplicable(String)
    /// The subject is excluded, for this reason, and does not conform.
    case excluded(String)
}
