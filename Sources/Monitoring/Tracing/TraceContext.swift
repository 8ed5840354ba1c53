public import HTTPMessages

/// The position in a distributed trace (W3C Trace Context): the trace, the span above, and the state of vendors.
public struct TraceContext: Hashable, Sendable {
    /// The upper and lower half of the trace ID; not both zero.
    let high, low: UInt64
    /// The span that a request belongs to, for the server its parent; not zero.
    public let spanID: UInt64
    /// The flags; bit 0 is ``isSampled``, bit 1 says that the ID is random.
    let flags: UInt8
    /// The entries of vendors, which are passed on unchanged.
    public let state: TraceState

    init(high: UInt64, low: UInt64, spanID: UInt64, flags: UInt8, state: TraceState = TraceState()) {
        self.high = high
        self.low = low
        self.spanID = spanID
        self.flags = flags
        self.state = state
    }

    /// Begins a trace, with random IDs.
    public static func begin(isSampled: Bool = true) -> TraceContext {
        TraceContext(
            high: .random(in: 1 ... .max), low: .random(in: 0 ... .max), spanID: .random(in: 1 ... .max),
            flags: isSampled ? 3 : 2)
    }

    /// Reads the fields of a request that continues a trace, such as one that the app serves.
    ///
    /// Nil for a `traceparent` that is missing, duplicated or invalid: then a new trace begins. An invalid `tracestate`
    /// is dropped. Of a later version than 00 the parts that it has in common with 00 are read.
    public init?(_ fields: HTTPFields) {
        let parents = fields.lazy.filter { $0.name == .traceparent }
        guard let parent = parents.first, parents.dropFirst().isEmpty else { return nil }
        let states = fields.values(of: .tracestate)
        self.init(parent: parent.value, states: states)
    }

    /// Reads the values of the fields `traceparent` and `tracestate`; see ``init(_:)``.
    public init?(traceparent: String, tracestate: String? = nil) {
        self.init(parent: traceparent, states: tracestate.map { [$0] } ?? [])
    }

    private init?(parent: String, states: [String]) {
        let bytes = Array(parent.utf8)
        guard bytes.count >= 55, bytes[2] == .dash, bytes[35] == .dash, bytes[52] == .dash,
            let version = UInt64(hex: bytes[0..<2]), version != 0xFF,
            version == 0 ? bytes.count == 55 : bytes.count == 55 || bytes[55] == .dash,
            let high = UInt64(hex: bytes[3..<19]), let low = UInt64(hex: bytes[19..<35]), high | low != 0,
            let span = UInt64(hex: bytes[36..<52]), span != 0, let flags = UInt64(hex: bytes[53..<55])
        else { return nil }
        self.init(
            high: high, low: low, spanID: span, flags: UInt8(flags) & 3,
            state: TraceState(parsing: states) ?? TraceState())
    }

    /// True if the spans of the trace are recorded.
    public var isSampled: Bool { flags & 1 != 0 }

    /// The ID of the trace, 32 hexadecimal digits.
    public var traceID: String { high.hex + low.hex }

    /// The value of the field `traceparent`.
    public var traceparent: String { "00-\(traceID)-\(spanID.hex)-\(UInt64(flags).hex.suffix(2))" }

    /// A new span in the same trace.
    public func child() -> TraceContext {
        TraceContext(high: high, low: low, spanID: .random(in: 1 ... .max), flags: flags, state: state)
    }
}

extension TraceContext: CustomStringConvertible {
    /// Same as ``traceparent``.
    public var description: String { traceparent }
}

private enum TraceContextKey: RequestOptionKey { static var defaultValue: TraceContext? { nil } }

extension RequestOptions {
    /// The span that the call belongs to, such as that of the request which the app serves; default nil: a new trace.
    public var traceContext: TraceContext? {
        get { hasLayerOptions ? self[TraceContextKey.self] : nil }
        set { self[TraceContextKey.self] = newValue }
    }
}

extension UInt64 {
    /// 16 lower case hexadecimal digits.
    var hex: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Reads lower case hexadecimal digits; nil for others.
    fileprivate init?(hex: ArraySlice<UInt8>) {
        self = 0
        for byte in hex {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): self = self << 4 | UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): self = self << 4 | UInt64(byte - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
    }
}

extension UInt8 {
    fileprivate static var dash: UInt8 { UInt8(ascii: "-") }
}
