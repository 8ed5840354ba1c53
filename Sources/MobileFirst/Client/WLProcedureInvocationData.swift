import Foundation
import HTTPMessages

/// A procedure of a JavaScript adapter and its parameters, for
/// ``WLClient/invokeProcedure(_:withDelegate:options:)``.
public final class WLProcedureInvocationData {
    /// The adapter.
    public let adapterName: String
    /// The procedure.
    public let procedureName: String
    /// The parameters in their order: strings, numbers, Booleans, arrays and dictionaries; default none.
    public var parameters: [Any] = []

    /// Creates a call.
    public init(adapterName: String, procedureName: String) {
        self.adapterName = adapterName
        self.procedureName = procedureName
    }

    /// The request of the call.
    /// - Parameter timeout: a number of milliseconds; nil is 10,000, and 0 is the client's default.
    func request(_ client: WLClient, timeout: Any?) throws(WLError) -> HTTPRequest {
        let value = timeout.map { try? JSONValue(foundation: $0).double } ?? 10_000
        guard let milliseconds = value, milliseconds >= 0 else {
            throw WLError(
                .invalidRequest, "Invalid `timeout` of a procedure: use a number of milliseconds, 0 for the default.")
        }
        let units = client.configuration.timeoutUnit.perSecond
        let request = WLResourceRequest(
            url: URL(string: "/adapters/\(adapterName)/\(procedureName)"), method: WLHttpMethodGet, scope: nil,
            timeout: milliseconds > 0 ? milliseconds / 1000 * units : nil, backendServiceName: nil, client: client)
        do throws(JSONError) {
            let values = try JSONValue(foundation: parameters)
            request.setQueryParameterValue(try values.parameterText, forName: "params")
        } catch {
            throw WLError(.invalidRequest, "The parameters are not JSON: \(error.message)")
        }
        return try request.httpRequest()
    }
}
