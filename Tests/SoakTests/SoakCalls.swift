import Akula
import Authentication
import Delegation
import Foundation
import HTTPMessages
import HyperHive
import MobileFirst
import OracleCX
import Outbox
import PatchbayTestKit
import SDMConnectivity
import Transport

/// One call of each kind. Each ends in the tally.
extension SoakWorld {
    enum Kind: CaseIterable {
        case user, effect, stream, order, akula, akulaCallback, oracle, oracleCallback, mobileFirst, sdm, sdmDelegate
        case hyperHive
    }

    /// Runs a call, and cancels it after a time.
    func run(_ kind: Kind, _ number: Int, cancelledAfter delay: Duration?) async {
        let call = tally.begin()
        switch kind {
        case .akulaCallback, .oracleCallback, .mobileFirst, .sdmDelegate:
            await runCallback(kind, number, call, cancelledAfter: delay)
        default:
            let task = Task { try await self.perform(kind, number) }
            if let delay {
                try? await Task.sleep(for: delay)
                task.cancel()
            }
            switch await task.result {
            case .success: tally.end(call, "\(kind)", nil)
            case .failure(let error): tally.end(call, "\(kind)", error)
            }
        }
    }

    private func perform(_ kind: Kind, _ number: Int) async throws {
        switch kind {
        case .user: try await readUser(number)
        case .effect: try await makeEffect(number)
        case .stream: try await readStream(number)
        case .order: try addOrder(number)
        case .akula: try await readAkula()
        case .oracle: try await postToOracle(number)
        case .sdm: try await readSAP(number)
        default: _ = try await hive.syncDelta("STOCK", into: "soak-hive.sqlite")
        }
    }

    /// A cacheable page of the user, through all layers.
    private func readUser(_ number: Int) async throws {
        let place = user.now
        let response = try await stack.send(HTTPRequest(.get, "\(origin)/me/\(number % 40)"))
        check(response, user, since: place, "the stack's page \(number % 40)")
    }

    private func check(_ response: HTTPResponse, _ user: SoakUser, since place: Int, _ what: String) {
        guard response.status == .ok else { return }
        let name = (try? JSONValue(parsing: response.body))?["user"]?.string
        if !user.has(name, since: place) { tally.violate("\(what) is that of \(name ?? "no user")") }
    }

    private func makeEffect(_ number: Int) async throws {
        let name = "stack-\(number)"
        tally.expectEffect(name, succeeded: false)
        var request = try HTTPRequest(.post, "\(origin)/effects/\(name)", body: .text("x"))
        request.options.skipsAuthorization = true
        let response = try await stack.send(request)
        tally.expectEffect(name, succeeded: response.status == .created)
    }

    /// Reads a part of a body, or all of it.
    private func readStream(_ number: Int) async throws {
        var request = try HTTPRequest(.get, "\(origin)/bytes/\(number % 5 * 40_000)")
        request.options.skipsAuthorization = true
        let response = try await stack.stream(request)
        var count = 0
        for try await chunk in response.body {
            count += chunk.count
            if number % 3 == 0, count > 10_000 { return }
        }
        if response.status == .ok, count != number % 5 * 40_000 { tally.violate("\(count) bytes of stream \(number)") }
    }

    private func addOrder(_ number: Int) throws {
        let place = outboxUser.now
        guard let name = outboxUser.current else { return }
        let text = "\(number)"
        try outbox.add(
            HTTPRequest(.post, "\(origin)/orders", body: .text(text)), key: "\(number % 8)", as: "order")
        addOrder(text, of: outboxUser.now == place ? name : nil)
    }

    private func readAkula() async throws {
        let place = akulaUser.now
        let response = try await agent.get("/data/jsonData")
        let name = (try? JSONValue(parsing: Data(response.text.utf8)))?["user"]?.string
        if let name, !akulaUser.has(name, since: place) { tally.violate("Akula's response is that of \(name)") }
    }

    private func oracleRequest(_ number: Int) -> (ORARequest, String) {
        let request = ORARequest(url: "\(origin)/effects/oracle-\(number)")
        request.requestBody = Data("x".utf8)
        tally.expectEffect("oracle-\(number)", succeeded: false)
        return (request, "oracle-\(number)")
    }

    private func postToOracle(_ number: Int) async throws {
        let (request, name) = oracleRequest(number)
        let response = await manager.addRequest(request)
        if let error = response.error { throw error }
        tally.expectEffect(name, succeeded: response.httpResponse?.status == .created)
    }

    /// The page of one of several users, with the request's own credentials.
    private func readSAP(_ number: Int) async throws {
        let name = SoakService.users[number % 3]
        let response = try await sapRequest(number, name).response()
        let found = (try? JSONValue(parsing: response.body))?["user"]?.string
        if response.status == .ok, found != name {
            tally.violate("SAP's response of \(name) is that of \(found ?? "-")")
        }
    }

    private func sapRequest(_ number: Int, _ name: String) -> SDMHttpRequest {
        let request = SDMHttpRequest(url: URL(string: "\(origin)/me/\(number % 10)"), session: session)
        request.username = name
        request.password = "password"
        return request
    }

    /// Starts a call with a callback, and waits for the first completion.
    private func runCallback(_ kind: Kind, _ number: Int, _ call: Int, cancelledAfter delay: Duration?) async {
        let ended = Watched(false)
        let finish: @Sendable ((any Error)?) -> Void = { error in
            self.tally.end(call, "\(kind)", error)
            ended.update { $0 = true }
        }
        let cancel = start(kind, number, finish)
        if let delay {
            try? await Task.sleep(for: delay)
            cancel()
        }
        _ = try? await ended.wait { $0 }
        withExtendedLifetime(cancel) {}
    }

    private func start(
        _ kind: Kind, _ number: Int, _ finish: @escaping @Sendable ((any Error)?) -> Void
    ) -> @Sendable () -> Void {
        switch kind {
        case .akulaCallback:
            let handler = AKTextHTTPResponseHandler()
            let failure = Watched<(any Error)?>(nil)
            handler.onFailure = { error, _ in failure.update { $0 = error } }
            handler.onDone = { finish(failure.value) }
            let call = agent.get("/data/text", delegate: handler)
            return { call.cancel() }
        case .oracleCallback:
            let (request, name) = oracleRequest(number)
            let call = manager.addRequest(request) { [tally] response in
                if response.httpResponse?.status == .created { tally.expectEffect(name, succeeded: true) }
                finish(response.error)
            }
            return { call.cancel() }
        case .mobileFirst:
            let request = WLResourceRequest(
                url: URL(string: "/adapters/Bank/balance"), method: WLHttpMethodGet, scope: nil, timeout: nil,
                backendServiceName: nil, client: mobileFirst)
            let call = request.send { _, error in finish(error) }
            return { call.cancel() }
        default:
            let request = sapRequest(number, SoakService.users[number % 3])
            let delegate = SoakDelegate(finish)
            request.setClientDelegate(delegate)
            request.startAsynchronous()
            return { withExtendedLifetime(delegate) { request.cancel() } }
        }
    }
}

/// Reports the end of a request of SAP's library.
private final class SoakDelegate: SDMHttpRequestDelegate, Sendable {
    private let finish: @Sendable ((any Error)?) -> Void

    init(_ finish: @escaping @Sendable ((any Error)?) -> Void) { self.finish = finish }

    func requestFinished(_ request: SDMHttpRequest) { finish(nil) }
    func requestFailed(_ request: SDMHttpRequest) { finish(request.error) }
}
