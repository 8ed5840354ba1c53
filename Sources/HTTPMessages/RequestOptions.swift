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
    private var values = TypedValues()

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
        get { values.value(for: ObjectIdentifier(key)) ?? Key.defaultValue }
        set { values.set(newValue == Key.defaultValue ? nil : newValue, for: ObjectIdentifier(key)) }
    }
}

/// A key for an option that a layer defines and reads.
public protocol RequestOptionKey {
    /// The type of the option's values.
    associatedtype Value: Hashable & Sendable
    /// The value of a request that does not set the option.
    static var defaultValue: Value { get }
}

/// Timeouts of a request, measured by a monotonic clock in milliseconds. Nil means no timeout.
public struct Timeouts: Hashable, Sendable {
    /// The phase of a request in which a timeout expired.
    public enum Phase: Hashable, Sendable {
        /// Connecting, for transports with a timeout of its own for that.
        case connect
        /// Connecting, sending the request, and waiting for the response head.
        case response
        /// Waiting for the next bytes, in either direction.
        case idle
        /// The whole request.
        case total
    }

    /// Time without progress from the connection slot to the response head; default 60 seconds. Sending body bytes
    /// restarts it.
    public var response: Duration?
    /// Time between two chunks of the response body; default 60 seconds.
    public var idle: Duration?
    /// Time for the whole request, including the wait for a connection slot; default nil, because it would also end
    /// healthy long downloads and event streams. Set it for untrusted servers: one that sends a byte now and then never
    /// exceeds the other timeouts.
    public var total: Duration?

    /// Creates timeouts.
    public init(response: Duration? = .seconds(60), idle: Duration? = .seconds(60), total: Duration? = nil) {
        self.response = response
        self.idle = idle
        self.total = total
    }

    /// Checks that each timeout is positive and at most 100 years.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`).
    public func validate() throws(HTTPMessageError) {
        for (name, timeout) in [("response", response), ("idle", idle), ("total", total)] {
            guard let timeout else { continue }
            guard timeout > .zero, timeout <= .seconds(100 * 365 * 86_400) else {
                throw HTTPMessageError(
                    .invalidTimeout,
                    "Invalid \(name) timeout: \(timeout.secondsText); use more than 0 and at most 100 years.")
            }
        }
    }
}

extension Duration {
    /// Creates a timeout from a number of seconds.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`) for NaN, infinity, zero, negative numbers and over 100 years.
    public static func timeout(seconds: Double) throws(HTTPMessageError) -> Duration {
        // A tiny fraction rounds to a duration of zero.
        guard seconds.isFinite, seconds > 0, seconds <= 100 * 365 * 86_400, Duration.seconds(seconds) > .zero else {
            throw HTTPMessageError(
                .invalidTimeout, "Invalid timeout: \(seconds) s; use more than 0 and at most 100 years.")
        }
        return .seconds(seconds)
    }
}
