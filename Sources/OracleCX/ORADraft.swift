import HTTPMessages
import RequestModel

/// A request as it was when it was added, complete but for the compression of its body, which takes time.
struct ORADraft: Sendable {
    let request: HTTPRequest
    /// Whether the body is still to be compressed.
    let compresses: Bool

    init(_ request: HTTPRequest, compresses: Bool = false) {
        self.request = request
        self.compresses = compresses && !request.body.isEmpty
    }

    /// The request to send.
    /// - Throws: ``ORAError`` (`invalidRequest`) when the body cannot be compressed.
    func httpRequest() throws(ORAError) -> HTTPRequest {
        guard compresses else { return request }
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
