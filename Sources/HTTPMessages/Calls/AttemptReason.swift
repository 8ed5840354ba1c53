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
private enum HedgeKey: RequestOptionKey { static var defaultValue: Bool { false } }

extension RequestOptions {
    /// Why this request of a call is sent, set by the layer that sends it again; default ``AttemptReason/initial``.
    public var attemptReason: AttemptReason {
        get { hasLayerOptions ? self[AttemptReasonKey.self] : .initial }
        set { self[AttemptReasonKey.self] = newValue }
    }

    /// True for a further attempt of a hedged call, also after a redirect: it waits for no other request, since the
    /// first attempt may be that one.
    package var isHedge: Bool {
        get { hasLayerOptions && self[HedgeKey.self] }
        set { self[HedgeKey.self] = newValue }
    }
}
