import Foundation
import HTTPMessages
import PatchbayTestKit
import Synchronization

extension SAPService {
    private var prefix: String { configuration.product == .mobilePlatform ? "X-SMP" : "X-SUP" }
    private var acceptedPrefixes: [String] {
        configuration.product == .mobilePlatform ? ["X-SMP", "X-SUP"] : ["X-SUP"]
    }

    func register(_ exchange: Exchange, app: String, user: String?) throws -> HTTPResponse {
        try exchange.request.require("POST")
        var values = try EntityType.connection.values(in: exchange).compactMapValues { $0 }
        let id = appcid(of: exchange.request) ?? configuration.makeID()
        guard !id.isEmpty, id.count <= 128 else {
            throw Failure.badRequest("The id of the connection has \(id.count) characters; use 1 to 128")
        }
        values["ApplicationConnectionId"] = id
        values["UserName"] = user
        values["DeviceType"] = values["DeviceType"] ?? "Unknown"
        try state.withLock { [values] state throws(Failure) in
            let key = ConnectionID(app: app, id: id)
            guard state.connections.keys.allSatisfy({ $0.id != id }) else {
                throw Failure(status: .conflict, code: "CONFLICT", message: "The connection \(id) exists already")
            }
            state.connections[key] = values
            state.counts.registrations += 1
        }
        let entry = entry(of: values, id: id, in: exchange)
        var response = try entry.document(as: ODataFormat(exchange.request)).response(.created, to: exchange.request)
        try response.head.fields.set("DataServiceVersion", to: "1.0")
        try response.head.fields.set(.location, to: entry.url)
        try response.head.fields.append(.setCookie, "\(prefix)-SESSID=\(configuration.makeID()); Path=/; HttpOnly")
        try response.head.fields.append(.setCookie, "\(prefix)-APPCID=\(id); Path=/")
        return response
    }

    func connection(_ exchange: Exchange, _ key: ConnectionID) throws -> HTTPResponse {
        try exchange.request.require("GET", "HEAD", "PUT", "MERGE", "PATCH", "DELETE")
        guard let known = state.withLock({ $0.connections[key] }) else { throw Failure.notFound }
        switch exchange.request.method {
        case .get, .head:
            return try entry(of: known, id: key.id, in: exchange).document(as: ODataFormat(exchange.request))
                .response(to: exchange.request)
        case .delete: state.withLock { $0.connections[key] = nil }
        default:
            let changes = try EntityType.connection.values(in: exchange)
            let isReplaced = exchange.request.method == .put
            try state.withLock { state throws(Failure) in
                // Another request may have changed or deleted it meanwhile.
                guard let known = state.connections[key] else { throw Failure.notFound }
                let fixed = known.filter { EntityType.fixedConnectionProperties.contains($0.key) }
                for (name, value) in changes where EntityType.fixedConnectionProperties.contains(name) {
                    guard value == fixed[name] else {
                        throw Failure.badRequest("The property \(name) cannot be changed")
                    }
                }
                state.connections[key] = (isReplaced ? fixed : known).applying(changes)
            }
        }
        return exchange.request.response(.noContent)
    }

    /// Throws 403 unless the request names a registration.
    func requireConnection(of request: HTTPRequest) throws(Failure) {
        let id = appcid(of: request)
        guard state.withLock({ state in state.connections.keys.contains { $0.id == id } }) else {
            throw Failure(
                status: .forbidden, code: "NOT_ONBOARDED",
                message: "The application connection is missing or unknown; register, and send its id as "
                    + "\(prefix)-APPCID")
        }
    }

    /// The id in a header or a cookie.
    private func appcid(of request: HTTPRequest) -> String? {
        let names = acceptedPrefixes.map { $0 + "-APPCID" }
        return names.lazy.compactMap { request.fields[$0] ?? request.cookieValues(of: $0).first }.first
    }

    private func entry(of values: [String: String], id: String, in exchange: Exchange) -> ODataEntry {
        ODataEntry(
            type: .connection, url: exchange.url(of: "Connections", key: id), key: id, etag: nil, values: values)
    }
}

extension SAPService.Exchange {
    /// The absolute URL of an entity beside the requested one.
    func url(of set: String, key: String) -> String {
        request.origin.text + path.root + "/" + set + ODataKey.text(key)
    }
}

extension [String: String] {
    /// These values with changes, of which nil removes one.
    func applying(_ changes: [String: String?]) -> [String: String] {
        var changed = self
        for (name, value) in changes { changed[name] = value }
        return changed
    }
}

extension HTTPRequest {
    /// The values of a cookie, in their order.
    func cookieValues(of name: String) -> [String] {
        fields.values(of: .cookie).flatMap { $0.split(separator: ";") }.compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, parts[0].trimmingCharacters(in: .whitespaces) == name else { return nil }
            return parts[1].trimmingCharacters(in: .whitespaces)
        }
    }
}
