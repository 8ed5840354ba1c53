import Foundation

// Resources, deltas and tables.

extension HHFWController {
    /// Loads the schemas of all resources, and creates their tables in an open database.
    /// - Parameter dataBasePath: nil or empty for ``HyperHive/defaultDatabase``.
    @discardableResult
    public func resources(_ dataBasePath: String?, handler: ((Any?) -> Void)?) -> HHFWCall {
        let path = dataBasePath.nonEmpty ?? HyperHive.defaultDatabase
        // Now: the app may close the database before the work begins.
        let use = client.databases.useIfOpen(path)
        return start(handler) { [client] (session) async throws(HyperHiveError) in
            try await client.resourcesResult(path, as: session, use).result
        }
    }

    /// Loads the changes of a resource into a database; blocks, and calls the handler before it returns.
    /// - Parameter params: nil for ``HyperHive/defaultDatabase``.
    public func deltaStream(
        _ resource: String?, deltaStreamCallParams params: DeltaStreamCallParams?, handler: ((Any?) -> Void)?
    ) {
        block(handler, load("deltaStream", resource, params, isDelta: true))
    }

    /// Loads the changes of a resource into a database; the handler is called later.
    /// - Parameters:
    ///   - withCache: false to load all rows, regardless of the stored ones.
    ///   - params: nil for ``HyperHive/defaultDatabase``.
    @discardableResult
    public func deltaStreamAsync(
        _ resource: String?, withCache: Bool, deltaStreamCallParams params: DeltaStreamCallParams?,
        handler: ((Any?) -> Void)?
    ) -> HHFWCall {
        start(handler, load("deltaStream", resource, params, isDelta: true, usesStoredVersion: withCache))
    }

    /// Loads all rows of a resource into a database; blocks, and calls the handler before it returns.
    /// - Parameters:
    ///   - transactionID: a UUID by which the server keeps the response; nil or empty for none.
    ///   - params: nil for ``HyperHive/defaultDatabase``.
    public func tableStream(
        _ resource: String?, transactionID: String?, requestCallParams params: RequestCallParams?,
        handler: ((Any?) -> Void)?
    ) {
        block(handler, load("tableStream", resource, params, transactionID: transactionID, isDelta: false))
    }

    /// Loads all rows of a resource into a database; the handler is called later.
    ///
    /// See ``tableStream(_:transactionID:requestCallParams:handler:)``.
    @discardableResult
    public func tableStreamAsync(
        _ resource: String?, transactionID: String?, requestCallParams params: RequestCallParams?,
        handler: ((Any?) -> Void)?
    ) -> HHFWCall {
        start(handler, load("tableStream", resource, params, transactionID: transactionID, isDelta: false))
    }

    /// Requests the rows of a resource, which are in `result.raw`.
    ///
    /// Blocks, and calls the handler before it returns.
    /// - Parameter transactionID: a UUID by which the server keeps the response; nil or empty for none.
    public func table(
        _ resource: String?, transactionID: String?, tableCallParams params: TableCallParams?,
        handler: ((Any?) -> Void)?
    ) {
        block(handler, raw("table", resource, params, transactionID: transactionID))
    }

    /// Requests the rows of a resource, which are in `result.raw`; calls the handler later.
    ///
    /// See ``table(_:transactionID:tableCallParams:handler:)``.
    @discardableResult
    public func tableAsync(
        _ resource: String?, transactionID: String?, tableCallParams params: TableCallParams?,
        handler: ((Any?) -> Void)?
    ) -> HHFWCall {
        start(handler, raw("table", resource, params, transactionID: transactionID))
    }

    /// Requests the response that the server keeps for a transaction.
    ///
    /// Blocks, and calls the handler before it returns.
    /// - Parameter params: those of the first call.
    public func retryTable(
        _ resource: String?, transactionID: String?, tableCallParams params: TableCallParams?,
        handler: ((Any?) -> Void)?
    ) {
        // An empty ID is not a UUID, so that the call fails: without one it would be a new transaction.
        var options = (params ?? TableCallParams()).options()
        options.transactionID = transactionID ?? ""
        let data = params?.data
        block(handler) { [client, options] (session) async throws(HyperHiveError) in
            let call = try await client.rawCall(
                "retryTable", resource ?? "", .parameters(data ?? ""), options, as: session)
            return try call.log.result(ofJSON: call.response)
        }
    }

    /// Requests a resource; the response is in `result.raw`.
    @discardableResult
    public func request(
        _ resource: String?, requestCallParams params: RequestCallParams?, handler: ((Any?) -> Void)?
    ) -> HHFWCall {
        start(handler, raw("request", resource, params))
    }

    /// Sends ``HHFWCallParams/data`` unchanged to a resource; the response is in `result.raw`.
    @discardableResult
    public func web(_ resource: String?, webCallParams params: WebCallParams?, handler: ((Any?) -> Void)?) -> HHFWCall {
        let (options, data) = ((params ?? WebCallParams()).options(), params?.data)
        return start(handler) { [client] (session) async throws(HyperHiveError) in
            let body = HyperHive.RawBody.bytes(Data((data ?? "{}").utf8))
            let call = try await client.rawCall("web", resource ?? "", body, options, as: session)
            return call.log.result(of: call.response)
        }
    }

    // MARK: Helpers

    /// Makes the work of a load; copies the parameters.
    private func load(
        _ type: String, _ resource: String?, _ params: HHFWCallParams?, transactionID: String? = nil, isDelta: Bool,
        usesStoredVersion: Bool = true
    ) -> Work {
        let options = (params ?? HHFWCallParams()).options(transactionID: transactionID)
        let path = params == nil ? HyperHive.defaultDatabase : params?.dataBasePath.nonEmpty
        let data = params?.data ?? ""
        // Now: the app may close the database before the work begins.
        let use = path.flatMap { client.databases.useIfOpen($0) }
        return { [client] (session) async throws(HyperHiveError) in
            guard let path else {
                throw CallLog(type).error(
                    .database,
                    .init(
                        .sqlite, SQLiteCode.cannotOpen,
                        "No database: set `dataBasePath`, or pass nil parameters for the default, "
                            + "\(HyperHive.defaultDatabase).")
                )
            }
            let arguments = Load.Arguments(
                type: type, resource: resource ?? "", parameters: data, database: path, isDelta: isDelta,
                usesStoredVersion: usesStoredVersion, options: options)
            return try await Load.run(arguments, client, as: session, using: use).result
        }
    }

    /// Makes the work of a call without a database; copies the parameters.
    private func raw(
        _ type: String, _ resource: String?, _ params: HHFWCallParams?, transactionID: String? = nil
    ) -> Work {
        let options = (params ?? HHFWCallParams()).options(transactionID: transactionID)
        let data = params?.data ?? ""
        let isTable = type == "table"
        return { [client] (session) async throws(HyperHiveError) in
            let call = try await client.rawCall(type, resource ?? "", .parameters(data), options, as: session)
            // A `request` may have any response, a `table` only rows.
            return try isTable ? call.log.result(ofJSON: call.response) : call.log.result(of: call.response)
        }
    }
}
