public import HTTPMessages

extension HTTPRequest {
    /// True when sending it twice has the effect of sending it once: by its method (RFC 9110, section 9.2.2), or because
    /// it has an `Idempotency-Key` by which the server knows it again.
    public var isIdempotent: Bool { method.isIdempotent || fields.contains(.idempotencyKey) }
}
