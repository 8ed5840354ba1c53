import HTTPMessages

/// The timeouts and the size limit of one call.
///
/// Without options a call has the defaults below. A value out of range makes the call fail with
/// ``AKError/Code/invalidRequest`` before anything is sent.
public struct AKHTTPRequestOptions: Hashable, Sendable {
    /// Milliseconds until the response begins, while no bytes move; 0, the default, means 60 seconds.
    public var timeout: Int
    /// Longest pause between two pieces of the response's body; default 60 seconds. Nil waits without a limit.
    public var idleTimeout: Duration?
    /// Time for the whole call, from its start to the last byte of the response. Nil, the default, sets no limit.
    public var totalTimeout: Duration?
    /// Largest response body in bytes, decompressed; default 64 MiB.
    public var maximumResponseBytes: Int

    /// Options; what is left out has its default.
    public init(
        timeout: Int = 0, idleTimeout: Duration? = .seconds(60), totalTimeout: Duration? = nil,
        maximumResponseBytes: Int = 64 << 20
    ) {
        self.timeout = timeout
        self.idleTimeout = idleTimeout
        self.totalTimeout = totalTimeout
        self.maximumResponseBytes = maximumResponseBytes
    }

    /// - Throws: ``AKError`` (`invalidRequest`), which names the value.
    func requestOptions() throws(AKError) -> RequestOptions {
        guard timeout >= 0, Duration.milliseconds(timeout) <= Self.longestTimeout else {
            throw AKError(
                .invalidRequest,
                "AKHTTPRequestOptions.timeout is \(timeout) ms; use 1 ms to 100 years, or 0 for the default of 60 seconds."
            )
        }
        try Self.check(idleTimeout, "idleTimeout")
        try Self.check(totalTimeout, "totalTimeout")
        guard maximumResponseBytes > 0 else {
            throw AKError(
                .invalidRequest,
                "AKHTTPRequestOptions.maximumResponseBytes is \(maximumResponseBytes); use 1 or more, or leave it out for 64 MiB."
            )
        }
        var timeouts = Timeouts(idle: idleTimeout, total: totalTimeout)
        if timeout > 0 { timeouts.response = .milliseconds(timeout) }
        return RequestOptions(timeouts: timeouts, maximumResponseBytes: maximumResponseBytes)
    }

    private static let longestTimeout = Duration.seconds(100 * 365 * 86_400)

    private static func check(_ timeout: Duration?, _ name: String) throws(AKError) {
        guard let timeout, timeout <= .zero || timeout > longestTimeout else { return }
        throw AKError(
            .invalidRequest,
            "AKHTTPRequestOptions.\(name) is \(timeout); use more than zero and at most 100 years, or nil for no timeout."
        )
    }
}
