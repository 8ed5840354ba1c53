// Stored responses of calls with a transaction ID.

extension HHFWController {
    /// Lists the transactions of a resource; the entries of `result.raw` have `uuid`.
    @discardableResult
    public func getAllTransactionResourceName(_ resourceName: String?, handler: ((Any?) -> Void)?) -> HHFWCall {
        start(handler) { [client] (session) async throws(HyperHiveError) in
            try await client.transactionsResult(of: resourceName ?? "", as: session)
        }
    }

    /// Requests the response that the server keeps for a transaction; it is in `result.raw`.
    @discardableResult
    public func getTransaction(
        _ transactionID: String?, resourceName: String?, handler: ((Any?) -> Void)?
    ) -> HHFWCall {
        transaction(transactionID, resourceName, isDeletion: false, handler)
    }

    /// Deletes the response that the server keeps for a transaction.
    @discardableResult
    public func deleteTransaction(
        _ transactionID: String?, resourceName: String?, handler: ((Any?) -> Void)?
    ) -> HHFWCall {
        transaction(transactionID, resourceName, isDeletion: true, handler)
    }

    private func transaction(
        _ id: String?, _ resource: String?, isDeletion: Bool, _ handler: ((Any?) -> Void)?
    ) -> HHFWCall {
        start(handler) { [client] (session) async throws(HyperHiveError) in
            let call = try await client.transactionCall(
                id ?? "", of: resource ?? "", isDeletion: isDeletion, as: session)
            return try call.log.result(ofJSON: call.response, mayBeEmpty: isDeletion)
        }
    }
}
