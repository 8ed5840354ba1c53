import Foundation
import HTTPMessages
import Queueing
import RequestModel

extension ORARequest {
    /// Returns a validated copy; its body is compressed later, off the caller's thread.
    /// - Parameters:
    ///   - options: the manager's timeouts and limits.
    ///   - body: replaces ``requestBody`` and ``payload`` of a POST; default nil. A GET with one is invalid.
    /// - Throws: ``ORAError`` (`invalidURL`, `unsupportedURL`, `invalidRequest`).
    func httpRequest(
        _ options: RequestOptions = RequestOptions(), body: HTTPBody? = nil
    ) throws(ORAError) -> HTTPRequest {
        var options = options
        options.priority = priority.requestPriority
        options.tag = requestTag
        options.maximumAttempts = 1 + retryCount
        do {
            let url = try requestURL()
            var fields = try fields()
            switch requestType {
            case .get:
                return try HTTPRequest(
                    .get, url.adding(try query()).text, fields: fields, body: body ?? .empty, options: options)
            case .post:
                options.compressesBody = compression
                let body = try body ?? postBody(&fields)
                return try HTTPRequest(.post, url.text, fields: fields, body: body, options: options)
            }
        } catch {
            throw ORAError(unsendable: error)
        }
    }

    private func requestURL() throws -> RequestURL {
        guard let url, !url.isEmpty else {
            throw ORAError(.invalidURL, "The request has no URL; set `url` before adding it.")
        }
        guard let scheme = URLReference(url[...]).scheme?.lowercased(), scheme == "http" || scheme == "https" else {
            throw ORAError(
                .unsupportedURL,
                "Unsupported URL: the scheme is missing or not http or https; start it with http:// or https://.")
        }
        return try RequestURL(url)
    }

    private func fields() throws -> HTTPFields {
        var lines: [(String, String)] = []
        var names: Set<String> = []
        for (name, value) in headers ?? [:] {
            guard let name = name.base as? String else {
                throw ORAError(.invalidRequest, "A header name is not a string; use String keys only.")
            }
            let lowercased = name.lowercased()
            guard names.insert(lowercased).inserted else {
                throw ORAError(
                    .invalidRequest, "Duplicate header \(lowercased): two keys differ only in case. Keep one.")
            }
            guard let text = try? JSONValue(foundation: value).scalarText else {
                throw ORAError(
                    .invalidRequest, "The value of header \(name) is not a string, number or Boolean; use a String."
                )
            }
            lines.append((name, text))
        }
        // Sorted, because the order of a dictionary is random.
        return try HTTPFields(lines.sorted { $0.0 < $1.0 })
    }

    private func postBody(_ fields: inout HTTPFields) throws -> HTTPBody {
        if let requestBody { return .bytes(requestBody) }
        guard let payload else { return .empty }
        if !fields.contains(.contentType) { try fields.append(.contentType, "application/json") }
        return .bytes(try JSONValue(foundation: payload).data())
    }

    private func query() throws -> Query {
        let members = try payload.map { try JSONValue(foundation: $0) }?.object ?? [:]
        var query = Query()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            guard value.isNull || value.scalarText != nil else {
                throw ORAError(
                    .invalidRequest,
                    "The payload value \(name) is an array or dictionary, which a query cannot hold; use POST or a string."
                )
            }
            query.append(name, value.scalarText)
        }
        return query
    }

    /// The redacted URL, for descriptions.
    var redactedURL: String {
        guard let url else { return "(no URL)" }
        return (try? URL(httpString: url)).map(Redaction.standard.redacted(_:)) ?? Redaction.placeholder
    }
}

extension JSONValue {
    /// A string without quotes, a number or Boolean as in JSON; nil for other values.
    fileprivate var scalarText: String? {
        switch self {
        case .string(let text): text
        case .integer, .number, .bool: description
        case .null, .array, .object: nil
        }
    }
}
