public import Foundation

/// What a response starts with: everything but its body.
public struct HTTPResponseHead: Hashable, Sendable {
    /// The status.
    public var status: HTTPStatus
    /// The header fields. When the body came compressed and was decoded, `Content-Encoding` and `Content-Length` are
    /// gone, because they no longer describe the bytes.
    public var fields: HTTPFields
    /// The URL that answered.
    public var url: URL
    /// The method of the request, set by a transport; nil in a head that was made otherwise.
    public var method: HTTPMethod?
    /// The responses that led here, oldest first, when redirects were followed.
    public var redirects: [HTTPResponseHead] = []

    /// A head of these parts.
    public init(status: HTTPStatus, fields: HTTPFields = HTTPFields(), url: URL) {
        self.status = status
        self.fields = fields
        self.url = url
    }

    /// The media type of the body, or nil when there is none or it cannot be read.
    public var mediaType: MediaType? { fields[.contentType].flatMap { MediaType(parsing: $0) } }
}

/// A response with its whole body in memory.
public struct HTTPResponse: Hashable, Sendable {
    /// Everything but the body.
    public var head: HTTPResponseHead
    /// The body, decoded from its content coding.
    public var body: Data

    /// A response of these parts.
    public init(head: HTTPResponseHead, body: Data = Data()) {
        self.head = head
        self.body = body
    }

    /// A response of these parts.
    public init(status: HTTPStatus, fields: HTTPFields = HTTPFields(), body: Data = Data(), url: URL) {
        self.init(head: HTTPResponseHead(status: status, fields: fields, url: url), body: body)
    }

    /// The status.
    public var status: HTTPStatus { head.status }
    /// The header fields.
    public var fields: HTTPFields { head.fields }
    /// The URL that answered.
    public var url: URL { head.url }
    /// The media type of the body, or nil when there is none or it cannot be read.
    public var mediaType: MediaType? { head.mediaType }
}

extension HTTPResponseHead {
    /// The method, if it is known, and the URL without secrets: what an error calls the request.
    package var requestText: String {
        let url = Redaction.standard.text(of: url)
        return method.map { "\($0) \(url)" } ?? url
    }
}

extension HTTPResponseHead: CustomStringConvertible, CustomReflectable {
    /// Status and URL, without secrets.
    public var description: String { "\(status) from \(Redaction.standard.text(of: url))" }
    /// Shows the parts, without secrets.
    public var customMirror: Mirror {
        Mirror(self, children: ["head": description, "fields": fields, "redirects": redirects])
    }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    /// Status, URL and length, without secrets and without the body.
    public var description: String { "\(head), \(body.count) bytes" }
    /// Shows the parts, without secrets and without the body.
    public var customMirror: Mirror { Mirror(self, children: ["response": description, "fields": fields]) }
}
