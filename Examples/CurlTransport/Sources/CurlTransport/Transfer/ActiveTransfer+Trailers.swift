import HTTPMessages
import Transport

extension ActiveTransfer {
    /// The fields after the request body, each terminated by NUL; nil if the transfer fails because of them.
    func trailerLines() -> [UInt8]? {
        guard isOpen else { return nil }
        do {
            return try call.request.options.trailers?.validatedFields().reduce(into: []) { lines, field in
                lines += "\(field.name.rawName): \(field.value)\0".utf8
            }
        } catch {
            fail(
                error as? TransportError
                    ?? TransportError(
                        .reservedField, "Trailers of the request have an invalid field; correct or remove it.",
                        request: call.request, underlying: error))
            return nil
        }
    }
}

extension HTTPRequest {
    /// The request with HTTP/1.1 if it has trailers, which libcurl sends in chunks only.
    /// - Throws: `unsupported` for trailers of another version, or without a body.
    func withVersionForTrailers() throws(TransportError) -> HTTPRequest {
        guard options.trailers != nil else { return self }
        guard !body.isEmpty, [nil, .http1].contains(options.httpVersion) else {
            throw TransportError(
                .unsupported, "The option `trailers` needs a body and HTTP/1.1; add one, or remove the option.",
                request: self)
        }
        var request = self
        request.options.httpVersion = .http1
        return request
    }
}
