/// Settings of one request that are never sent: deadlines, the size limit, and values that layers define.
///
/// A layer defines an option of its own by a ``RequestOptionKey``, and reads it from each request:
///
/// ```swift
/// enum Trace: RequestOptionKey { static let defaultValue: String? = nil }
///
/// extension RequestOptions {
///     var trace: String? {
///         get { self[Trace.self] }
///         set { self[Trace.self] = newValue }
///     }
/// }
///
/// let options = RequestOptions { $0.trace = "checkout" }
/// ```
public struct RequestOptions: Hashable, Sendable {
    /// The timeouts.
    public var timeouts: Timeouts
    /// The most bytes of a buffered response body, counted after decoding; default 64 MiB. Layers that continue after a
    /// response, by a redirect or a retry, ignore it for that one.
    public var maximumResponseBytes: Int
    var reference = CallReference()
    @usableFromInline var values = TypedValues()

    /// Options with defaults for what is left out.
    public init(timeouts: Timeouts = Timeouts(), maximumResponseBytes: Int = 64 << 20) {
        self.timeouts = timeouts
        self.maximumResponseBytes = maximumResponseBytes
    }

    /// Default options with changes.
    public init(_ change: (inout RequestOptions) -> Void) {
        self.init()
        change(&self)
    }

    /// True if any layer's option is set: a check without the cost of a generic look-up.
    package var hasLayerOptions: Bool { !values.isEmpty }

    /// The value of a layer's option; the key's default until it is set.
    public subscript<Key: RequestOptionKey>(key: Key.Type) -> Key.Value {
        @inlinable get { values.value(for: ObjectIdentifier(key)) ?? Key.defaultValue }
        @inlinable set { values.set(newValue == Key.defaultValue ? nil : newValue, for: ObjectIdentifier(key)) }
    }
}

/// A key for an option that a layer defines and reads.
public protocol RequestOptionKey {
    /// The type of the option's values.
    associatedtype Value: Hashable & Sendable
    /// The value of a request that does not set the option.
    static var defaultValue: Value { get }
}
