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

    /// What passes by itself; anything else, such as a wrong certificate, has to be seen.
    private static let outages: [TransportError.Code] = [
        .connectionLost, .connectionRefused, .hostNotFound, .timedOut, .truncated, .unreachable,
    ]

    /// The items, or nil if they cannot be had now; the screen then shows what it has.
    func items() async throws -> [String]? {
        do {
            return try await orders().map(\.item)
        } catch {
            let isOutage = (error as? TransportError).map { Self.outages.contains($0.code) } ?? false
            guard isOutage || error.httpStatus?.kind == .serverError else { throw error }
            return nil
        }
    }
}
