import Patchbay

struct Order: Codable, Equatable, Sendable {
    var id: Int
    var item: String
}

/// What is tested: the app's own code over the client. `Tests/TestedShopTests` is its test suite.
struct Shop: Sendable {
    let api: APIClient

    init(_ url: String, over stack: Stack = .standard) throws { api = try APIClient(url, over: stack) }

    func orders() async throws -> [Order] { try await api.get("orders") }

    func order(_ item: String) async throws -> Order { try await api.post("orders", json: ["item": item]) }

    /// The items, or nil if they cannot be had now; the screen then shows what it has.
    func items() async throws -> [String]? {
        do {
            return try await orders().map(\.item)
        } catch {
            let isUnavailable = error is TransportError || error.httpStatus?.kind == .serverError
            guard isUnavailable, !error.isCancellation else { throw error }
            return nil
        }
    }
}
