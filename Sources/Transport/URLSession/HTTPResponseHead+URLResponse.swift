import Foundation
#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
import HTTPMessages

extension HTTPResponseHead {
    /// The codings that the engine undoes before we see the bytes.
    private static let decodedCodings: Set<String> = ["gzip", "x-gzip", "deflate", "br", "zstd"]

    /// The engine's response as ours; nil when it is not one of HTTP.
    ///
    /// Names that differ in case only become one field. When the body was decoded, the fields that describe the coded
    /// bytes go.
    init?(_ response: URLResponse, for request: HTTPRequest) {
        guard let response = response as? HTTPURLResponse, let status = HTTPStatus(response.statusCode) else { return nil }
        var fields = HTTPFields()
        for (name, value) in response.allHeaderFields {
            // What the engine let through and cannot be a field is no reason to lose the response.
            guard let name = name as? String, let value = value as? String else { continue }
            try? fields.append(name, value)
        }
        if let coding = fields[.contentEncoding], Self.decodedCodings.contains(coding.lowercased()),
            request.method != .head
        {
            fields.remove(.contentEncoding)
            fields.remove(.contentLength)
        }
        self.init(status: status, fields: fields, url: response.url ?? request.url)
    }

    /// The length of the body, or nil when it cannot be known.
    var contentLength: Int64? { fields[.contentLength].flatMap { Int64($0) }.flatMap { $0 >= 0 ? $0 : nil } }
}
