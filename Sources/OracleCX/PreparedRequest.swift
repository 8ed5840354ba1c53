import HTTPMessages
import RequestModel

/// A validated copy of a request whose body may still have to be compressed.
struct PreparedRequest: Sendable {
    let request: HTTPRequest
    /// Whether ``httpRequest()`` compresses the body.
    let needsCompression: Bool

    init(_ request: HTTPRequest, needsCompression: Bool = false) {
        self.request = request
        self.needsCompression = needsCompression && !request.body.isEmpty
    }

    /// Returns the request to send, with its body compressed if needed.
    /// - Throws: ``ORAError`` (`invalidRequest`) if compression fails.
    func httpRequest() throws(ORAError) -> HTTPRequest {
        guard needsCompression else { return request }
        do {
            var fields = request.fields
            try fields.append(.contentEncoding, ContentCoding.gzip.name)
            return try HTTPRequest(
                request.method, request.url, fields: fields, body: ContentCoding.gzip.encode(request.body),
                options: request.options)
        } catch {
            throw ORAError(unsendable: error)
        }
    }
}
