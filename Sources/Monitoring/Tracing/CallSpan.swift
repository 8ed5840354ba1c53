public import Foundation
public import PatchbayErrors

/// A finished span of one attempt, with the attributes of OpenTelemetry's stable HTTP conventions.
public struct CallSpan: Sendable {
    /// The name: the method, and the URL template if known.
    public let name: String
    /// The trace and the ID of the span; nil without the layer ``TracingRequests``.
    public let context: TraceContext?
    /// The ID of the span above; nil if the trace began with the call.
    public let parentSpanID: UInt64?
    /// The wall clock time of the start.
    public let start: Date
    /// The length.
    public let duration: Duration
    /// The attributes by their names, such as `http.request.method`.
    public let attributes: [String: AttributeValue]

    /// True if the attempt failed, or its status is 400 or more.
    public var isError: Bool { attributes["error.type"] != nil }
    /// The kind of all spans here.
    public var kind: String { "CLIENT" }
}

extension CallSpan: RedactedStringConvertible {
    /// The name, the IDs, the duration and the attributes, without secrets.
    public var description: String {
        let ids = context.map { " \($0.traceID)/\($0.spanID.hex)" } ?? ""
        let values = attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        return "\(name)\(ids) \(duration.logText)\(values)"
    }
}

/// The value of an attribute of a span or a measurement.
@nonexhaustive public enum AttributeValue: Hashable, Sendable, CustomStringConvertible {
    /// A text.
    case string(String)
    /// A number.
    case int(Int)

    /// The text or the number.
    public var description: String {
        switch self {
        case .string(let text): text
        case .int(let number): "\(number)"
        }
    }
}
