import Akula
import ExampleSupport
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding
import VendorServices

private struct Order: Codable, Sendable {
    var id: Int?
    var name: String
    var quantity: Int?
}

/// A screen as apps for the vendor's SDK have it: a delegate, called on the main queue.
private final class OrderScreen: AKHTTPResponseDelegate {
    private let agent: AKServerAgent
    private var closed: ((AKError?) -> Void)?
    private var error: AKError?

    init(_ agent: AKServerAgent) { self.agent = agent }

    /// Shows the orders; `closed` is called when the call has ended, with its error.
    func open(closed: @escaping (AKError?) -> Void) {
        self.closed = closed
        let data = AKHTTPRequestData()
        data.addQueryParameter("state", value: "open")
        agent.get("/data/items", requestData: data, delegate: self)
    }

    func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {
        do {
            for order in try response.decode(.json([Order].self)) { print("  \(order.id ?? 0) \(order.name)") }
        } catch {
            print("  not a list of orders:", error.message)
            self.error = error
        }
    }

    func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {
        print("  failed:", error.message)
        self.error = error
    }

    func responseDone() {
        closed?(error)
        closed = nil
    }
}

@main struct AkulaOrders: Example {
    static let name = "akula-orders"
    static let summary = "An app for Verivo Akula: log in, show a list, change it with async/await, log out."
    static let requirements = """
        URL is the base URL of an app scope, such as https://example.com/akula/myServerApp. The scope has an endpoint
        /data/items for JSON objects with a name (GET, POST; /data/items/ID: GET, PUT, DELETE), which only a user may
        write to: PATCHBAY_USER, with PATCHBAY_PASSWORD.
        """
    static let path = "/akula/myServerApp"

    static func startServer() throws -> LoopbackServer { try LoopbackServer(service: AkulaService(path: path)) }

    static func run(at server: String) async throws {
        // Once, at the start of the app; agents are cheap.
        AKServerAgent.initialize(server)
        let agent = AKServerAgent()
        agent.requestData.addHeader("X-Client", value: name)

        print("The list, for a delegate:")
        let screen = OrderScreen(agent)
        let failure = await withCheckedContinuation { done in screen.open { done.resume(returning: $0) } }
        if let failure { throw failure }

        print("A new order, without a session:")
        do {
            _ = try await create(agent, Order(name: "jack plate", quantity: 2))
            throw Unexpected("The server takes orders without a session.")
        } catch let error as AKError where error.statusCode == 401 {
            print("  \(error.serverError?.text ?? error.message)")
        }
        // The usual cause is a session that has expired: log in, and repeat what the user wanted.
        let session = try await AKSession.login(
            principal: ["user": .string(try user)], secret: ["password": .string(try password)])
        print("  logged in as \(session.user?["name"]?.string ?? "the user")")
        var order = try await create(agent, Order(name: "jack plate", quantity: 2))
        guard let id = order.id else { throw Unexpected("The server has created an order without an id.") }
        print("  order \(id): \(order.quantity ?? 0) x \(order.name)")

        order.quantity = 3
        let data = AKHTTPRequestData()
        data.bodyData = AKJSONHTTPBody(encoding: order)
        order = try await agent.put("/data/items/\(id)", requestData: data, as: .json(Order.self))
        print("Changed: \(order.quantity ?? 0) x \(order.name)")

        try await agent.delete("/data/items/\(id)")
        print("Deleted, and read once more:")
        do {
            try await agent.get("/data/items/\(id)")
            throw Unexpected("The deleted order is still there.")
        } catch let error as AKError where error.statusCode == 404 {
            print("  \(error.statusCode ?? 0): \(error.serverError?.text ?? error.message)")
        }
        try await AKSession.logout()
        print("Logged out.")
    }

    private static func create(_ agent: AKServerAgent, _ order: Order) async throws(AKError) -> Order {
        let data = AKHTTPRequestData()
        data.bodyData = AKJSONHTTPBody(encoding: order)
        return try await agent.post("/data/items", requestData: data, as: .json(Order.self))
    }
}
