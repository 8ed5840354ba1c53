/// The level of end-to-end traces.
public enum SDMTraceLevel: Int, Hashable, Sendable, CaseIterable {
    /// The vendor's `LOW`.
    case low = 1
    /// The vendor's `MEDIUM`; the default.
    case medium = 2
    /// The vendor's `HIGH`.
    case high = 3
    /// The vendor's `NONE`.
    case none = 4
}
