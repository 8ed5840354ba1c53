import Akula
import Foundation

// Code of an old app: only the vendor's names, and no imports but Akula and Foundation. The test is that this file
// compiles; LegacyCallSiteTests runs it.

/// A model object that talks to the server.
final class InventoryStore {
    let agent = AKServerAgent()
    private(set) var lastError: NSError?

    /// Called once by the app delegate.
    static func configure(_ baseURL: String) { AKServerAgent.initialize(baseURL) }

    func prepare() {
        agent.requestData.addHeader("X-Client", value: "7")
        agent.requestData.addQueryParameter("region", value: "east")
    }

    func names() -> [String] {
        var error: NSError?
        let response = agent.getSync("/data/items", error: &error)
        lastError = error
        guard error == nil, let data = response?.data else { return [] }
        let items = (try? JSONSerialization.jsonObject(with: data)) as? [[String: Any]]
        return items?.compactMap { $0["name"] as? String } ?? []
    }

    func rename(_ id: Int, to name: String) throws -> Int {
        let data = AKHTTPRequestData()
        data.addHeader("X-Reason", value: "rename")
        data.bodyData = AKJSONHTTPBody(object: ["name": name])
        return try agent.putSync("/data/items/\(id)", requestData: data).statusCode
    }

    func remove(_ id: Int) -> Bool {
        var error: NSError?
        agent.deleteSync("/data/items/\(id)", requestData: nil, error: &error)
        return error == nil
    }

    func fetch(_ url: String, finished: @escaping (String?, AKError?) -> Void) {
        let handler = AKTextHTTPResponseHandler()
        handler.onSuccess = { text, _ in finished(text, nil) }
        handler.onFailure = { error, text in finished(text, error) }
        AKHTTPAgent().get(url, delegate: handler)
    }

    func logIn(_ user: String, _ password: String) throws -> Bool {
        let principal: [String: Any] = ["user": user]
        let secret: [String: Any] = ["password": password]
        try AKSession.loginSync(principal: principal, secret: secret)
        return AKSession.current?.token.isEmpty == false
    }

    func logOut() throws { try AKSession.logoutSync() }
}

/// A screen that is the delegate of its own calls.
@MainActor
final class InventoryScreen: AKHTTPResponseDelegate {
    private let agent = AKServerAgent()
    private(set) var title = ""
    private(set) var count = 0
    private(set) var isBusy = false
    var onDone: (() -> Void)?

    func load() {
        isBusy = true
        agent.get("/data/text", delegate: self)
    }

    func add(_ name: String) {
        isBusy = true
        let data = AKHTTPRequestData()
        data.bodyData = AKJSONHTTPBody(object: ["name": name])
        agent.post("/data/items", requestData: data, delegate: self)
    }

    func countItems() {
        let handler = AKJSONHTTPResponseHandler()
        handler.onArray = { array, _ in self.count = array.count }
        handler.onFailure = { error, _ in self.title = "\(error.statusCode ?? 0)" }
        handler.onDone = { self.onDone?() }
        agent.get("/data/items", delegate: handler)
    }

    func logIn(_ user: String, _ password: String) {
        AKSession.login(principal: ["user": user], secret: ["password": password], delegate: self)
    }

    func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) { title = "\(statusCode) \(response.text)" }

    func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {
        title = error.serverError?.text ?? error.localizedDescription
    }

    func responseDone() {
        isBusy = false
        onDone?()
    }
}

/// A delegate without `responseDone()`.
final class Failures: AKHTTPResponseDelegate {
    private(set) var count = 0
    func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {}
    func responseDidFail(_ error: AKError, response: AKHTTPResponse?) { count += 1 }
}

/// A screen that uses closures, which change its state directly because they are called on the main queue.
@MainActor
final class InventoryList {
    private let agent = AKServerAgent()
    private(set) var names: [String] = []
    private(set) var message = ""

    func load(done: @escaping () -> Void) {
        agent.get("/data/items") { result in
            switch result {
            case .success(let response): self.names = self.names(in: response)
            case .failure(let error): self.message = error.localizedDescription
            }
            done()
        }
    }

    func logIn(_ user: String, _ password: String, done: @escaping () -> Void) {
        AKSession.login(principal: ["user": user], secret: ["password": password]) { result in
            if case .failure(let error) = result { self.message = error.serverError?.text ?? "" }
            done()
        }
    }

    private func names(in response: AKHTTPResponse) -> [String] {
        let items = (try? JSONSerialization.jsonObject(with: response.data)) as? [[String: Any]]
        return items?.compactMap { $0["name"] as? String } ?? []
    }
}

/// An agent subclass of the app.
final class PartnerAgent: AKHTTPAgent, @unchecked Sendable {}
