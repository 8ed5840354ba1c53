import Foundation
import HTTPMessages

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

extension HTTPResponseHead {
    /// The codings that the engine undoes before we see the bytes.
    #if canImport(Darwin)
        // Not zstd: without its Content-Encoding a body that was left as it is could not be read by anything.
        private static let decodedCodings: Set<String> = ["gzip", "x-gzip", "deflate", "br"]
    #else
        private static let decodedCodings: Set<String> = ["gzip", "x-gzip", "deflate", "br", "zstd"]
    #endif

    /// The engine's response as ours; nil when it is not one of HTTP.
    ///
    /// Names that differ in case only become one field, and joined lines of `Set-Cookie` are lines again. When the body
    /// was decoded, the fields that describe the coded bytes are removed.
    init?(_ response: URLResponse, for request: HTTPRequest) {
        guard let response = response as? HTTPURLResponse, let status = HTTPStatus(response.statusCode) else {
            return nil
        }
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            // What the engine let through and cannot be a field is no reason to lose the response.
            guard let name = (name as? String).flatMap({ try? HTTPFieldName($0) }), let value = value as? String else {
                continue
            }
            for line in JoinedLines(value).lines(of: name) { try? fields.append(name, String(line)) }
        }
        let codings = (fields[.contentEncoding] ?? "").split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces).lowercased()
        }
        if !codings.isEmpty, Self.decodedCodings.isSuperset(of: codings), request.method != .head, !status.hasNoContent
        {
            fields.remove(.contentEncoding)
            fields.remove(.contentLength)
        }
        self.init(status: status, fields: fields, url: response.url ?? request.url)
        method = request.method
    }

    /// The length of the body, or nil when it cannot be known. Chunks count, where there are both (RFC 9112, section 6.3).
    var contentLength: Int64? {
        guard !fields.contains(.transferEncoding), let length = fields[.contentLength].flatMap({ Int64($0) }) else {
            return nil
        }
        return length >= 0 ? length : nil
    }
}

extension HTTPStatus {
    /// True when a response of this status describes content at most, and carries none (RFC 9110, section 6.4.1).
    var hasNoContent: Bool { kind == .informational || self == .noContent || self == .notModified }
}
