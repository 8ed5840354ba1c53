/// Why a request is sent; a layer that sends a call's request again defines a reason of its own.
///
/// ```swift
/// extension AttemptReason { static let mirror = AttemptReason("mirror") }
/// request.options.attemptReason = .mirror
/// ```
public struct AttemptReason: Hashable, Sendable, CustomStringConvertible {
    /// The name, in lower case and without spaces.
    public let name: String

    /// Creates a reason.
    public init(_ name: String) { self.name = name }

    /// The first request of a call.
    public static let initial = AttemptReason("initial")

    /// Same as ``name``.
    public var description: String { name }
}

private enum AttemptReasonKey: RequestOptionKey { static var defaultValue: AttemptReason { .initial } }
private enum HedgeKey: RequestOptionKey { static var defaultValue: Int { 0 } }

extension RequestOptions {
    /// Why this request of a call is sent, set by the layer that sends it again; default ``AttemptReason/initial``.
    public var attemptReason: AttemptReason {
        get { hasLayerOptions ? self[AttemptReasonKey.self] : .initial }
        set { self[AttemptReasonKey.self] = newValue }
    }

    /// The number of the attempt of a hedged call, also after a redirect; 0 for the first one.
    ///
    /// A request waits for one with its number only, which is that of another call.
    package var hedge: Int {
        get { hasLayerOptions ? self[HedgeKey.self] : 0 }
        set { self[HedgeKey.self] = newValue }
    }
}
