public import Foundation
public import PatchbayErrors

/// Request of a resource, before a ``HyperHiveWire`` makes it an HTTP request.
public struct ResourceRequest: Hashable, Sendable {
    /// The resource.
    public var resource: String
    /// The body: a JSON object of parameters, or any bytes of a `web` call.
    public var body: Data
    /// Base version of the requested delta; 0 for a full load, nil to request no delta.
    public var deltaBase: Int?
    /// The validator of the stored rows, for `If-None-Match`; nil for none.
    public var etag: String?
    /// A UUID by which the server keeps its response; nil for none.
    public var transactionID: String?
    /// Additional header fields, which replace those of the wire.
    public var headers: [String: String]
    /// Query parameters.
    public var query: [String: String]

    /// Creates a request.
    public init(
        _ resource: String, body: Data = Data("{}".utf8), deltaBase: Int? = nil, etag: String? = nil,
        transactionID: String? = nil, headers: [String: String] = [:], query: [String: String] = [:]
    ) {
        self.resource = resource
        self.body = body
        self.deltaBase = deltaBase
        self.etag = etag
        self.transactionID = transactionID
        self.headers = headers
        self.query = query
    }
}

extension ResourceRequest: RedactedStringConvertible {
    /// The resource, the length of the body, and the names of fields and parameters.
    public var description: String {
        let names = headers.keys.sorted() + query.keys.sorted()
        return "\(resource), \(body.count) bytes" + (names.isEmpty ? "" : " with \(names.joined(separator: ", "))")
    }
}
