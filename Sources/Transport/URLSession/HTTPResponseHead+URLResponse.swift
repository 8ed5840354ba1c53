import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPResponseHead {
    /// The content codings that the engine decodes.
    #if canImport(Darwin)
        // Not zstd: if the system did not decode it, removing Content-Encoding would make the body unreadable.
        private static let decodedCodings: Set<String> = ["gzip", "x-gzip", "deflate", "br"]
    #else
        private static let decodedCodings: Set<String> = ["gzip", "x-gzip", "deflate", "br", "zstd"]
    #endif

    /// Converts the engine's response.
    ///
    /// Names that differ only in case become one field, and joined `Set-Cookie` lines are split. `Content-Encoding` and
    /// `Content-Length` are removed when the engine has decoded the body.
    /// - Throws: `TransportError` (`malformedResponse`) if it is not HTTP, or if its body has no reliable end, which
    ///   the engine may not notice.
    init(_ response: URLResponse, for request: HTTPRequest) throws(TransportError) {
        func malformed(_ problem: String) -> TransportError {
            TransportError(.malformedResponse, "\(problem): \(request.origin.address).", request: request)
        }
        guard let response = response as? HTTPURLResponse, let status = HTTPStatus(response.statusCode) else {
            throw malformed("Response is not HTTP")
        }
        let carriesBody = request.method != .head && !status.hasNoContent
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            // Skip invalid fields that the engine accepts, instead of failing the response.
            guard let text = name as? String, let value = value as? String else { continue }
            guard let name = try? HTTPFieldName(text) else {
                if carriesBody, BodyFraming.isMisread(text) {
                    throw malformed("Response head has whitespace before a colon")
                }
                continue
            }
            for line in JoinedLines(value).lines(of: name) { try? fields.append(name, String(line)) }
        }
        if carriesBody, case .invalid(let problem) = BodyFraming(fields) { throw malformed(problem) }
        let codings = (fields[.contentEncoding] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        var decoded: String?
        if carriesBody, !codings.isEmpty, Self.decodedCodings.isSuperset(of: codings) {
            decoded = fields[.contentEncoding]
            fields.remove(.contentEncoding)
            fields.remove(.contentLength)
        }
        self.init(status: status, fields: fields, url: response.url ?? request.url)
        method = request.method
        decodedContentCodings = decoded
    }

    /// The declared body length, or nil; `Transfer-Encoding` overrides `Content-Length` (RFC 9112, section 6.3).
    var contentLength: Int64? { if case .length(let length) = BodyFraming(fields) { length } else { nil } }
}

extension HTTPStatus {
    /// True for statuses whose responses have no content (RFC 9110, section 6.4.1).
    var hasNoContent: Bool { kind == .informational || self == .noContent || self == .notModified }
}
