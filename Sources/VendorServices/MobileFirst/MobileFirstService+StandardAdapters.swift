import Foundation
import HTTPMessages
import PatchbayTestKit

extension MobileFirstService.Adapter {
    /// Adapters for examples and tests.
    ///
    /// | path | scope | behavior |
    /// |---|---|---|
    /// | `Public/echo` | | ``echo(_:scope:namesScope:)`` |
    /// | `Public/status/{code}` | | JSON with this status |
    /// | `Public/text`, `Public/array`, `Public/binary` | | plain text, a JSON array, all 256 byte values |
    /// | `Public/invalid` | | text that is not UTF-8 |
    /// | `Public/slow` | | never responds |
    /// | `Js/add` | | a JavaScript adapter: the parameter `params`, unchanged |
    /// | `Secure/echo` | `RegisteredClient` | echo; 401 without a token |
    /// | `Bank/balance` | `RegisteredClient transfer` | echo, after the check `PinCode` |
    /// | `User/profile` | `profile` | echo, after the check `UserLogin` |
    /// | `Vault/open` | `premium` | echo, after both checks |
    public static let standard: [Self] = [
        .echo("Public/echo"),
        Self("Public/status") { request, context in
            guard let status = context.tail.first.flatMap({ Int($0) }).flatMap({ HTTPStatus($0) }),
                status.kind != .informational
            else { return request.response(.notFound) }
            return request.response(status, json: ["status": .integer(Int64(status.code))])
        },
        Self("Public/text") { request, _ in request.response(text: "Grüße") },
        Self("Public/array") { request, _ in request.response(json: [1, 2, 3]) },
        Self("Public/binary") { request, _ in try request.response(bytes: 0...255, type: "application/octet-stream") },
        Self("Public/invalid") { request, _ in
            try request.response(bytes: [0x61, 0xFF, 0x62], type: "text/plain; charset=utf-8")
        },
        Self("Public/slow") { request, _ in
            try await Gate().wait()
            return request.response(.serviceUnavailable)
        },
        .javaScript("Js/add"),
        .echo("Secure/echo", scope: "RegisteredClient", namesScope: false),
        .echo("Bank/balance", scope: "RegisteredClient transfer"),
        .echo("User/profile", scope: "profile"),
        .echo("Vault/open", scope: "premium"),
    ]

    /// An adapter that returns the request as JSON.
    ///
    /// | member | value |
    /// |---|---|
    /// | `method`, `path` | the method; the raw path of the URL |
    /// | `queryString`, `query` | the raw query; a list of values for each name |
    /// | `headers` | values by name in lower case, without `authorization` and `cookie` |
    /// | `contentType` | the field, or null |
    /// | `body` | the body as text |
    /// | `form`, `json` | the body as a list of values for each name, and as JSON; null for other media types |
    /// | `clientID`, `scope` | of the token, or null |
    public static func echo(_ path: String, scope: String? = nil, namesScope: Bool = true) -> Self {
        Self(path, scope: scope, namesScope: namesScope) { request, context in
            let body = try await request.body.collect()
            let type = request.fields[.contentType]
            let mediaType = type.flatMap { MediaType(parsing: $0) }
            let text = String(decoding: body, as: UTF8.self)
            return request.response(json: [
                "method": .string(request.method.name), "path": .string(request.url.path()),
                "queryString": .string(request.queryString), "query": request.parameters.json,
                "headers": request.echoedHeaders, "contentType": .string(orNull: type), "body": .string(text),
                "form": mediaType?.subtype == "x-www-form-urlencoded" ? Parameters(text).json : .null,
                "json": mediaType?.subtype == "json" ? (try? JSONValue(parsing: body)) ?? .null : .null,
                "clientID": .string(orNull: context.clientID), "scope": .string(orNull: context.scope),
            ])
        }
    }

    /// A JavaScript adapter: it returns `params` of the query or form, unchanged, and `isSuccessful`.
    public static func javaScript(_ path: String, scope: String? = nil) -> Self {
        Self(path, scope: scope) { request, _ in
            let form = Parameters(String(decoding: try await request.body.collect(), as: UTF8.self))
            guard let params = form["params"] ?? request.parameters["params"] else {
                return request.response(json: ["isSuccessful": false, "errors": ["The parameter `params` is missing"]])
            }
            return request.response(json: ["isSuccessful": true, "params": .string(params)])
        }
    }
}

extension HTTPRequest {
    fileprivate var echoedHeaders: JSONValue {
        let names = Set(fields.map(\.name)).filter { $0 != .authorization && $0 != .cookie }
        let pairs = names.map { ($0.canonicalName, JSONValue.string(orNull: fields[$0])) }
        return .object(Dictionary(uniqueKeysWithValues: pairs))
    }

    fileprivate func response(bytes: some Sequence<UInt8>, type: String) throws -> HTTPResponse {
        response(fields: try HTTPFields(["Content-Type": type]), body: Data(bytes))
    }
}
