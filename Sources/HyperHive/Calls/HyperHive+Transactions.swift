import Coordination
public import HTTPMessages

// Stored responses of calls with a transaction ID.

extension HyperHive {
    /// Returns the transaction IDs whose responses the server keeps for a resource.
    /// - Throws: ``HyperHiveError``: `malformedResponse` for another structure.
    public func transactions(of resource: String) async throws(HyperHiveError) -> [String] {
        let result = try await transactionsResult(of: resource, as: session.snapshot)
        guard let ids = wire.transactionIDs(in: result.raw ?? .null) else {
            var result = result
            result.status = .error
            let message = "The response is not a list of transactions; check the wire."
            result.errors = [.init(.curl, CurlCode.receive, message)]
            throw HyperHiveError(.malformedResponse, message, result: result)
        }
        return ids
    }

    /// Returns the response that the server keeps for a transaction.
    /// - Throws: ``HyperHiveError``: `status` with 404 when there is none.
    public func transaction(_ id: String, of resource: String) async throws(HyperHiveError) -> HTTPResponse {
        try await transactionCall(id, of: resource, isDeletion: false, as: session.snapshot).response
    }

    /// Deletes the response that the server keeps for a transaction.
    /// - Throws: ``HyperHiveError``: `status` with 404 when there is none; `malformedResponse` when the response is
    ///   neither empty nor JSON.
    public func deleteTransaction(_ id: String, of resource: String) async throws(HyperHiveError) {
        let call = try await transactionCall(id, of: resource, isDeletion: true, as: session.snapshot)
        _ = try call.log.result(ofJSON: call.response, mayBeEmpty: true)
    }

    /// Requests a resource again with the transaction ID of an earlier call, for its stored response.
    /// - Parameter parameters: those of the earlier call.
    /// - Throws: ``HyperHiveError``.
    public func retryTable(
        _ resource: String, transactionID: String, parameters: String = "",
        options: HyperHiveCallOptions = HyperHiveCallOptions()
    ) async throws(HyperHiveError) -> [HyperHiveTable] {
        var options = options
        options.transactionID = transactionID
        let call = try await rawCall("retryTable", resource, .parameters(parameters), options, as: session.snapshot)
        return try HyperHiveTable.tables(in: call.log.result(ofJSON: call.response))
    }

    // MARK: Envelopes

    func transactionsResult(
        of resource: String, as session: ClientSession.Snapshot
    ) async throws(HyperHiveError) -> HyperHiveResult {
        let log = CallLog("getAllTransactionResourceName")
        log.echo { $0.resource = resource }
        let call = try Call(self, log, HyperHiveCallOptions(), as: session)
        guard !resource.isEmpty else {
            throw log.error(.invalidArgument, "The resource name is empty; pass the resource of the transactions.")
        }
        let response = try await call.retrying {
            try await call.sendUncached(
                wire.transactionsRequest(of: resource, token: call.token, call.configuration))
        }
        return try log.result(ofJSON: response)
    }

    func transactionCall(
        _ id: String, of resource: String, isDeletion: Bool, as session: ClientSession.Snapshot
    ) async throws(HyperHiveError) -> (response: HTTPResponse, log: CallLog) {
        let log = CallLog(isDeletion ? "deleteTransaction" : "getTransaction")
        log.echo { $0.resource = resource }
        let call = try Call(self, log, HyperHiveCallOptions(transactionID: id), as: session)
        let response = try await call.retrying {
            try await call.sendUncached(
                wire.transactionRequest(
                    id, of: resource, isDeletion: isDeletion, token: call.token, call.configuration),
                transactionID: id)
        }
        return (response, log)
    }
}
