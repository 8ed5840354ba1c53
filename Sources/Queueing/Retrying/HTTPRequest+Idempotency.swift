public import HTTPMessages

extension HTTPRequest {
    /// True if the request is idempotent: by its method (RFC 9110, section 9.2.2) or by an `Idempotency-Key`.
    public var isIdempotent: Bool { method.isIdempotent || fields.contains(.idempotencyKey) }
}
