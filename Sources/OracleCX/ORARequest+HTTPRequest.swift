import Foundation
import HTTPMessages
import RequestModel

extension ORARequest {
    /// A checked copy of the request, whose body is compressed later, off the caller's thread.
    /// - Parameter options: the manager's timeouts and limits.
    /// - Throws: ``ORAError`` (`invalidURL`, `unsupportedURL`, `invalidRequest`).
    func draft(_ options: RequestOptions = RequestOptions()) throws(ORAError) -> ORADraft {
        var options = options
        options.priority = priority.requestPriority
        options.tag = requestTag
        options.maximumAttempts = 1 + retryCount
        do {
            let url = try requestURL()
            var data = RequestData(fields: try fields(), options: options)
            switch requestType {
            case .get:
                data.query = try query()
                return ORADraft(try data.request(.get, url))
            case .post:
                data.body = try postBody()
                return ORADraft(try data.request(.post, url), compresses: compression)
            }
        } catch {
            throw ORAError(unsendable: error)
        }
    }

    private func requestURL() throws -> RequestURL {
        guard let url, !url.isEmpty else {
            throw ORAError(.invalidURL, "The request has no URL; set its url before you add it.")
        }
        guard let scheme = URLReference(url[...]).scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw ORAError(
                .unsupportedURL, "The URL does not start with http:// or https://; write one of them in front.")
        }
        return try RequestURL(url)
    }

    private func fields() throws -> HTTPFields {
        var lines: [(String, String)] = []
        var names: Set<String> = []
        for (name, value) in headers ?? [:] {
            guard let name = name.base as? String else {
                throw ORAError(.invalidRequest, "The names of headers are texts; use String keys only.")
            }
            let lowercased = name.lowercased()
            guard names.insert(lowercased).inserted else {
                throw ORAError(
                    .invalidRequest, "The header \(lowercased) is there twice, in upper and lower case. Keep one.")
            }
            guard let text = try? JSONValue(foundation: value).scalarText else {
                throw ORAError(
                    .invalidRequest, "The value of the header \(name) is neither a text nor a number; make it a String."
                )
            }
            lines.append((name, text))
        }
        // A dictionary has no order; one of its own is the same on each platform.
        return try HTTPFields(lines.sorted { $0.0 < $1.0 })
    }

    private func postBody() throws -> RequestBody {
        if let requestBody { return .bytes(requestBody, mediaType: nil) }
        guard let payload else { return .empty }
        return try .json(JSONValue(foundation: payload))
    }

    private func query() throws -> Query {
        let members = try payload.map { try JSONValue(foundation: $0) }?.object ?? [:]
        var query = Query()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard value.isNull || value.scalarText != nil else {
                throw ORAError(
                    .invalidRequest,
                    "The payload's value of \(name) is a list or an object, which a query cannot hold; use POST or a text."
                )
            }
            query.append(name, value.scalarText)
        }
        return query
    }

    /// The URL for descriptions.
    var safeURL: String {
        guard let url else { return "nowhere" }
        return (try? HTTPRequest.url(of: url)).map(Redaction.standard.text(of:)) ?? Redaction.mark
    }
}

extension JSONValue {
    /// A text as it is, a number or a truth value as in JSON; nil for anything else.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text): text
        case .integer, .number, .bool: description
        case .null, .array, .object: nil
        }
    }
}
