public import HTTPMessages

extension RequestOptions {
    /// The time to wait for `100 (Continue)` before the body is sent; default nil: none.
    ///
    /// The request has the field `Expect: 100-continue` (RFC 9110, section 10.1.1) if it has a body. A server that
    /// refuses it by its head, such as with 401 or 413, then gets none of the body. After this time the body is sent,
    /// since not every server knows the field. Status 417 is not delivered: the request is sent once more, without the
    /// field. The wait counts for `Timeouts.response`, not for `Timeouts.send`.
    /// `CurlTransport` has it, over HTTP/1.1; other engines fail with `unsupported` before a body is sent.
    public var continueTimeout: Duration? {
        get { hasLayerOptions ? self[ContinueTimeout.self] : nil }
        set { self[ContinueTimeout.self] = newValue }
    }

    /// Checks that the time is positive and at most 100 years.
    /// - Throws: `HTTPMessageError` (`invalidTimeout`).
    func validateContinueTimeout() throws(HTTPMessageError) {
        guard let time = continueTimeout, time <= .zero || time > .century else { return }
        throw HTTPMessageError(
            .invalidTimeout,
            "Invalid continueTimeout: \(time.secondsText); use more than 0 and at most 100 years.")
    }
}

extension HTTPRequest {
    /// True if an engine is to send the body after the server's `100 (Continue)`: there is one, of more than 0 bytes.
    public var expectsContinue: Bool { options.continueTimeout != nil && !body.isEmpty && body.length != 0 }
}

private enum ContinueTimeout: RequestOptionKey {
    static var defaultValue: Duration? { nil }
}
