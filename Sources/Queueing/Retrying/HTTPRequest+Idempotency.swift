public import HTTPMessages
import Transport

extension HTTPRequest {
    /// True if the request is idempotent: by its method (RFC 9110, section 9.2.2) or by an `Idempotency-Key`.
    public var isIdempotent: Bool { method.isIdempotent || fields.contains(.idempotencyKey) }

    /// The request with an `Idempotency-Key`, unless it has one: that of its options, or one that is made for a method
    /// that is not idempotent. A request of a resumable upload gets none: the server would take the next one for it.
    func addingIdempotencyKey(_ make: (@Sendable () -> String)? = nil) throws(HTTPMessageError) -> HTTPRequest {
        guard !options.isUploadStep, !fields.contains(.idempotencyKey),
            let key = options.idempotencyKey ?? (isIdempotent ? nil : make?())
        else { return self }
        var request = self
        try request.fields.set(.idempotencyKey, to: key)
        return request
    }
}
