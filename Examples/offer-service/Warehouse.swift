import Patchbay
import PatchbayTestKit
import Synchronization

/// The services behind the offers, in this process: prices, and a stock that may fail.
final class Warehouse: HTTPService {
    private struct State {
        var isStockFailing = false
        var requests: [HTTPRequest] = []
    }

    /// Holds the price of the item "slow" back while it is closed.
    let gate = Gate()
    /// Holds the price of the item "late" back while it is closed.
    let lateGate = Gate()
    private let state = Mutex(State())

    var isStockFailing: Bool {
        get { state.withLock(\.isStockFailing) }
        set { state.withLock { $0.isStockFailing = newValue } }
    }
    /// The requests that came so far.
    var requests: [HTTPRequest] { state.withLock(\.requests) }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let isFailing = state.withLock { state in
            state.requests.append(request)
            return state.isStockFailing
        }
        switch request.url.pathComponents.dropFirst().first {
        case "prices":
            if request.url.lastPathComponent == "slow" { try await gate.wait() }
            if request.url.lastPathComponent == "late" { try await lateGate.wait() }
            return request.response(json: ["cents": 1250])
        case "stock" where isFailing:
            return request.response(.internalServerError)
        case "stock":
            return request.response(json: ["pieces": 3])
        default:
            return request.response(.notFound)
        }
    }
}
