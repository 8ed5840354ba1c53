import ExampleSupport
import Patchbay
import PatchbayTestKit
import Synchronization

/// The API of the tour: orders, photos, a catalog, a feed. Its tokens expire, and it is busy once.
final class ShopService: HTTPService {
    private struct State {
        var token = 0
        var isBusy = true
    }

    private static let catalog = ServedFile(
        Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 >> 4) }), bytesPerConnection: 400_000)
    private let state = Mutex(State())

    /// A new token; the former ones are rejected from now on.
    func signIn() async throws -> OAuthToken {
        let number = state.withLock { state in
            state.token += 1
            return state.token
        }
        return try OAuthToken("token-\(number)")
    }

    /// The steps of the server for a request. A download breaks off after 400 kB.
    func script(for request: RecordedRequest) -> ServerScript {
        guard request.target == "/catalog", isAuthorized(request.fields) else { return [.respond(with: self)] }
        return Self.catalog.script(for: request)
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        guard isAuthorized(request.fields) else { return request.response(.unauthorized) }
        switch (request.method, request.url.path) {
        case (.get, "/orders/open"):
            let isBusy = state.withLock { state in
                defer { state.isBusy = false }
                if state.isBusy { state.token += 1 }
                return state.isBusy
            }
            return isBusy ? request.response(.serviceUnavailable) : request.response(json: orders(1...3))
        case (.get, "/orders"):
            let query = Query(parsing: request.url.query() ?? "")
            let offset = query["offset"].flatMap { Int($0) } ?? 0
            return request.response(json: orders(offset + 1...offset + 2))
        case (.post, "/photos"):
            return request.response(text: "\(try await request.body.collect(upTo: 8 << 20).count) bytes received")
        case (.post, _):
            return request.response(
                body: try await request.body.collect(upTo: 1000), fields: ["Content-Type": "application/json"])
        case (.get, "/feed"):
            return request.response(
                body: Data("event: stock\ndata: 3 left\n\nevent: stock\ndata: sold out\n\n".utf8),
                fields: ["Content-Type": "text/event-stream"])
        default:
            return request.response(.conflict, json: ["reason": "The order is on its way."])
        }
    }

    private func orders(_ numbers: ClosedRange<Int>) -> JSONValue {
        .array(numbers.map { ["id": .number(Double($0)), "item": "tea"] })
    }

    private func isAuthorized(_ fields: HTTPFields) -> Bool {
        fields[.authorization] == "Bearer token-\(state.withLock(\.token))"
    }
}

extension HTTPRequest {
    fileprivate func response(body: Data, fields: KeyValuePairs<String, String>) -> HTTPResponse {
        var all = HTTPFields()
        for (name, value) in fields { all[name] = value }
        return response(fields: all, body: body)
    }
}
