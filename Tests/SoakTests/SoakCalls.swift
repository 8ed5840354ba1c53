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
///
/// The user of the response is checked for the stack, Akula's agent and SAP's requests, the user of an effect for the
/// outbox. The calls of the others have one user: of them only the ends and the effects are counted.
extension SoakWorld {
    enum Kind: CaseIterable {
        case user, effect, stream, order, akula, akulaCallback, oracle, oracleCallback, mobileFirst, sdm, sdmDelegate
        case hyperHive
    }

    /// Longer than any call takes, also on a busy machine: what has no end by then is lost.
    private static let patience = Duration.seconds(120)

    /// Runs a call, cancels it after a time, and waits for its first completion.
    func run(_ kind: Kind, _ number: Int, cancelledAfter delay: Duration?) async {
        let call = tally.begin("\(kind) \(number)")
        let ended = Watched(false)
        let cancel = start(kind, number) { error in
            self.tally.end(call, "\(kind)", error)
            ended.update { $0 = true }
        }
        if let delay {
            try? await Task.sleep(for: delay)
            cancel()
        }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await ended.wait { $0 } }
            group.addTask { try? await Task.sleep(for: Self.patience) }
            await group.next()
            group.cancelAll()
        }
        withExtendedLifetime(cancel) {}
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
        // The server has no such page without a user.
        if name == nil || !user.has(name, since: place) { tally.violate("\(what) is that of \(name ?? "no user")") }
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
        checkAkula(try await agent.get("/data/jsonData").text, since: place)
    }

    private func checkAkula(_ text: String, since place: Int) {
        let name = (try? JSONValue(parsing: Data(text.utf8)))?["user"]?.string
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
        if response.status == .ok { checkSAP(response.body, name) }
    }

    private func checkSAP(_ body: Data, _ name: String) {
        let found = (try? JSONValue(parsing: body))?["user"]?.string
        if found != name {
            tally.violate("SAP's response of \(name) is that of \(found ?? "-")")
        }
    }

    private func sapRequest(_ number: Int, _ name: String) -> SDMHttpRequest {
        let request = SDMHttpRequest(url: URL(string: "\(origin)/me/\(number % 10)"), session: session)
        request.username = name
        request.password = "password"
        return request
    }

    /// Starts a call, and returns what cancels it.
    private func start(
        _ kind: Kind, _ number: Int, _ finish: @escaping @Sendable ((any Error)?) -> Void
    ) -> @Sendable () -> Void {
        switch kind {
        case .akulaCallback:
            let (handler, place) = (AKTextHTTPResponseHandler(), akulaUser.now)
            let failure = Watched<(any Error)?>(nil)
            handler.onFailure = { error, _ in failure.update { $0 = error } }
            handler.onSuccess = { [self] text, _ in checkAkula(text, since: place) }
            handler.onDone = { finish(failure.value) }
            let call = agent.get("/data/jsonData", delegate: handler)
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
        case .sdmDelegate:
            let name = SoakService.users[number % 3]
            let request = sapRequest(number, name)
            let delegate = SoakDelegate { [self] request, error in
                if error == nil, request.responseStatusCode == 200 { checkSAP(request.responseData ?? Data(), name) }
                finish(error)
            }
            request.setClientDelegate(delegate)
            request.startAsynchronous()
            return { withExtendedLifetime(delegate) { request.cancel() } }
        default:
            let task = Task {
                do {
                    try await perform(kind, number)
                    finish(nil)
                } catch {
                    finish(error)
                }
            }
            return { task.cancel() }
        }
    }
}

/// Reports the end of a request of SAP's library.
private final class SoakDelegate: SDMHttpRequestDelegate, Sendable {
    private let finish: @Sendable (SDMHttpRequest, (any Error)?) -> Void

    init(_ finish: @escaping @Sendable (SDMHttpRequest, (any Error)?) -> Void) { self.finish = finish }

    func requestFinished(_ request: SDMHttpRequest) { finish(request, nil) }
    func requestFailed(_ request: SDMHttpRequest) { finish(request, request.error) }
}
