import HTTPMessages

/// Timeouts and response size limit of one call.
///
/// With a value out of range the call fails with `invalidRequest` before anything is sent.
public struct AKHTTPRequestOptions: Hashable, Sendable {
    /// Response timeout in milliseconds, while no bytes are transferred; 0, the default, means 60 seconds.
    public var timeout: Int
    /// Maximum time between two chunks of the response body; default 60 seconds, nil for no limit.
    public var idleTimeout: Duration?
    /// Maximum time from the start of the call to the last byte of the response; default nil, no limit.
    public var totalTimeout: Duration?
    /// Maximum response body size in bytes, after decompression; default 64 MiB.
    public var maximumResponseBytes: Int

    /// Creates options.
    public init(
        timeout: Int = 0, idleTimeout: Duration? = .seconds(60), totalTimeout: Duration? = nil,
        maximumResponseBytes: Int = 64 << 20
    ) {
        self.timeout = timeout
        self.idleTimeout = idleTimeout
        self.totalTimeout = totalTimeout
        self.maximumResponseBytes = maximumResponseBytes
    }

    /// - Throws: ``AKError`` (`invalidRequest`), naming the property and its value.
    func requestOptions() throws(AKError) -> RequestOptions {
        guard timeout >= 0, Duration.milliseconds(timeout) <= .century else {
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

    private static func check(_ timeout: Duration?, _ name: String) throws(AKError) {
        guard let timeout, timeout <= .zero || timeout > .century else { return }
        throw AKError(
            .invalidRequest,
            "AKHTTPRequestOptions.\(name) is \(timeout); use more than zero and at most 100 years, or nil for no timeout."
        )
    }
}
