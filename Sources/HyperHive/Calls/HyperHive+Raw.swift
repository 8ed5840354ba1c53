import Coordination
public import Foundation
public import HTTPMessages
import ResponseDecoding
public import Transport

// Calls of a resource that do not touch a database. The response is in memory.

extension HyperHive {
    /// Returns the rows of a resource.
    /// - Parameters:
    ///   - parameters: text of a JSON object, empty for none. Once the schema is loaded, rows of table parameters may
    ///     be objects; they are sent in the schema's order.
    ///   - options: with a ``HyperHiveCallOptions/transactionID``, the same call again returns the stored response.
    ///   - observer: receives the progress of the transfer.
    /// - Returns: the output tables, in the server's order.
    /// - Throws: ``HyperHiveError``: `malformedResponse` for another structure.
    public func table(
        _ resource: String, parameters: String = "", options: HyperHiveCallOptions = HyperHiveCallOptions(),
        observer: (any TransferObserver)? = nil
    ) async throws(HyperHiveError) -> [HyperHiveTable] {
        let call = try await rawCall(
            "table", resource, .parameters(parameters), options, as: session.snapshot, observer: observer)
        return try HyperHiveTable.tables(in: call.log.result(ofJSON: call.response))
    }

    /// Requests a resource and returns the response as it is.
    /// - Parameters:
    ///   - parameters: as of ``table(_:parameters:options:observer:)``.
    ///   - observer: receives the progress of the transfer.
    /// - Throws: ``HyperHiveError``.
    public func request(
        _ resource: String, parameters: String = "", options: HyperHiveCallOptions = HyperHiveCallOptions(),
        observer: (any TransferObserver)? = nil
    ) async throws(HyperHiveError) -> HTTPResponse {
        try await rawCall(
            "request", resource, .parameters(parameters), options, as: session.snapshot, observer: observer
        )
        .response
    }

    /// Sends bytes to a resource and returns the response as it is.
    /// - Parameter body: sent unchanged, by default as `application/json`.
    /// - Throws: ``HyperHiveError``.
    public func request(
        _ resource: String, body: Data, options: HyperHiveCallOptions = HyperHiveCallOptions(),
        observer: (any TransferObserver)? = nil
    ) async throws(HyperHiveError) -> HTTPResponse {
        try await rawCall("web", resource, .bytes(body), options, as: session.snapshot, observer: observer).response
    }

    /// Body of a call.
    enum RawBody: Sendable {
        /// Text of parameters, which are arranged as the schema says, if it is known and valid.
        case parameters(String)
        /// Sent unchanged.
        case bytes(Data)
    }

    func rawCall(
        _ type: String, _ resource: String, _ body: RawBody, _ options: HyperHiveCallOptions,
        as session: ClientSession.Snapshot, observer: (any TransferObserver)? = nil
    ) async throws(HyperHiveError) -> (response: HTTPResponse, log: CallLog) {
        let log = CallLog(type)
        log.echo { $0.resource = resource }
        let call = try Call(self, log, options, as: session)
        let response = try await call.retrying {
            let bytes =
                switch body {
                case .parameters(let text):
                    try RequestParameters.body(text, for: try? call.knownSchema?.resource(resource))
                case .bytes(let bytes): bytes
                }
            let request = ResourceRequest(
                resource, body: bytes, transactionID: options.transactionID, headers: options.headers,
                query: options.query)
            return try await call.send(
                wire.resourceRequest(request, token: call.token, call.configuration),
                transactionID: options.transactionID, observer: observer)
        }
        return (response, log)
    }
}

extension CallLog {
    /// Returns the envelope of a response, with its body in `raw`.
    func result(of response: HTTPResponse) -> HyperHiveResult {
        var result = result(.ok)
        result.raw = JSONValue(bodyOf: response).map { withoutLongSecrets($0) }
        return result
    }

    /// Returns the envelope of a response that must be JSON.
    /// - Parameter mayBeEmpty: true for a deletion.
    /// - Throws: ``HyperHiveError``: `malformedResponse` for another body, such as the login page of a network, with
    ///   its text in `raw`.
    func result(ofJSON response: HTTPResponse, mayBeEmpty: Bool = false) throws(HyperHiveError) -> HyperHiveResult {
        if response.body.isEmpty {
            if mayBeEmpty { return result(of: response) }
        } else if let value = try? JSONValue(parsing: response.jsonBody, keepingLongNumbers: true) {
            var result = result(.ok)
            result.raw = withoutLongSecrets(value)
            return result
        }
        let body =
            response.body.isEmpty
            ? "it is empty" : "its content type is \(response.mediaType?.essence ?? "unknown"), its text is in `raw`"
        let message =
            "The response is not JSON: \(body). Check the network for a login page or a proxy; the server may not have "
            + "received the call."
        var error = error(.malformedResponse, .init(.curl, CurlCode.receive, message))
        error.result.raw = JSONValue(bodyOf: response).flatMap { redacted($0) }
        throw error
    }
}

/// Rows of an output table, in memory.
public struct HyperHiveTable: Hashable, Sendable {
    /// The name, without the resource's.
    public let name: String
    /// The rows: cells in the order of the schema's columns, after `hhive_id` for a cached resource.
    ///
    /// A number that neither `Int64` nor `Double` holds without losing digits is a string.
    public let rows: [[JSONValue]]

    /// Reads a list of `{"name", "data"}`.
    static func tables(in result: HyperHiveResult) throws(HyperHiveError) -> [HyperHiveTable] {
        var tables: [HyperHiveTable] = []
        for entry in result.raw?.array ?? [.null] {
            guard let name = entry["name"]?.string, let rows = entry["data"]?.array,
                case let cells = rows.compactMap(\.array), cells.count == rows.count
            else {
                var result = result
                result.status = .error
                result.raw = nil
                let message = "The response is not a list of tables with rows; use `request` for other responses."
                result.errors = [.init(.curl, CurlCode.receive, message)]
                throw HyperHiveError(.malformedResponse, message, result: result)
            }
            tables.append(HyperHiveTable(name: name, rows: cells))
        }
        return tables
    }
}
