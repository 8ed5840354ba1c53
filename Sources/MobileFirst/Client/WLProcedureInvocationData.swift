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
    func request(_ client: WLClient, milliseconds: Double) throws(WLError) -> HTTPRequest {
        let units = client.configuration.timeoutUnit.perSecond
        let request = WLResourceRequest(
            url: URL(string: "/adapters/\(adapterName)/\(procedureName)"), method: WLHttpMethodGet, scope: nil,
            timeout: milliseconds > 0 ? milliseconds / 1000 * units : nil, backendServiceName: nil, client: client)
        do {
            let values = try JSONValue(foundation: parameters)
            request.setQueryParameterValue(values.description, forName: "params")
        } catch {
            throw WLError(.invalidRequest, "The parameters are not JSON: \(error.message)")
        }
        return try request.httpRequest()
    }
}
