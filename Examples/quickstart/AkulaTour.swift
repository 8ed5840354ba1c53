import Akula
import Delegation
import Dispatch
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding

/// Goes through the main uses of Akula's API, one after the other.
func akulaTour(base: String, arguments: Arguments, server: LoopbackServer?) async throws {
    let story = Story(server: server)
    AKServerAgent.initialize(base)
    let agent = AKServerAgent()

    story.chapter("Log in", code: "try await AKSession.login(principal: [\"user\": …], secret: [\"password\": …])")
    let session = try await AKSession.login(
        principal: ["user": .string(arguments.user)], secret: ["password": .string(arguments.password)])
    story.wire()
    story.result(session)

    try await getForDelegate(agent, story)
    try getAndWait(agent, story)
    try await postItem(agent, story)
    await askForNothing(agent, story)
    await cancel(agent, story)

    story.chapter("Log out", code: "try await AKSession.logout()")
    try await AKSession.logout()
    story.wire()
    story.result(AKSession.current.map(\.description) ?? "no session any more")
}

/// A GET for a delegate. The agent's headers and parameters and the call's are combined; the call's win.
private func getForDelegate(_ agent: AKServerAgent, _ story: Story) async throws {
    story.chapter(
        "GET for a delegate, with merged headers and query",
        code: """
            agent.requestData.addHeader("X-Client", value: "quickstart")
            agent.requestData.addQueryParameter("region", value: "north")
            let data = AKHTTPRequestData()
            data.addQueryParameter("region", value: "east & south")
            agent.get("/data/jsonData", requestData: data, delegate: handler)
            """)
    agent.requestData.addHeader("X-Client", value: "quickstart")
    agent.requestData.addQueryParameter("region", value: "north")
    let data = AKHTTPRequestData()
    data.addQueryParameter("region", value: "east & south")
    await withCheckedContinuation { done in
        let handler = AKJSONHTTPResponseHandler()
        handler.onObject = { object, status in
            story.wire()
            story.result("\(status), query as the server saw it: \(object?["query"] ?? "none")")
        }
        handler.onFailure = { error, _ in story.result("failure: \(error)") }
        handler.onDone = { done.resume() }
        agent.get("/data/jsonData", requestData: data, delegate: handler)
    }
    agent.requestData.clearQueryParameters()
}

/// A call that waits. Its body is in ISO 8859-1, as its Content-Type says.
private func getAndWait(_ agent: AKServerAgent, _ story: Story) throws {
    story.chapter("GET, waiting", code: "let response = try agent.getSync(\"/data/text\")")
    let response = try agent.getSync("/data/text")
    story.wire()
    story.result("\(response.statusCode) \(response.text)")
}

private struct Item: Codable {
    let id: Int
    let name: String
}

/// A POST with async/await and a typed answer.
private func postItem(_ agent: AKServerAgent, _ story: Story) async throws {
    story.chapter(
        "POST with async/await, decoded",
        code: """
            let data = AKHTTPRequestData()
            data.bodyData = AKJSONHTTPBody(object: ["name": "jack plate"])
            let item = try await agent.post("/data/items", requestData: data, as: .json(Item.self))
            """)
    let data = AKHTTPRequestData()
    data.bodyData = AKJSONHTTPBody(object: ["name": "jack plate"])
    let item = try await agent.post("/data/items", requestData: data, as: .json(Item.self))
    story.wire()
    story.result("item \(item.id), \(item.name)")
}

/// An endpoint that is not there: the server's own error, decoded.
private func askForNothing(_ agent: AKServerAgent, _ story: Story) async {
    story.chapter("A 404 and its error", code: "try await agent.get(\"/data/nothing\")")
    do {
        let response = try await agent.get("/data/nothing")
        story.result(response)
    } catch {
        story.wire()
        story.result(error)
        if let server = error.serverError {
            story.result("code \(server.code), transaction \(server.transaction ?? "none"), \(server.text)")
        }
    }
}

/// A call that would take for ever, cancelled. The handler hears of it once, and then that the call is done.
private func cancel(_ agent: AKServerAgent, _ story: Story) async {
    story.chapter(
        "Cancellation",
        code: """
            let call = agent.get("/data/slow", delegate: handler)
            call.cancel()
            """)
    await withCheckedContinuation { done in
        let handler = AKTextHTTPResponseHandler()
        handler.onSuccess = { text, status in story.result("\(status) \(text)") }
        handler.onFailure = { error, _ in
            story.wire()
            story.result(error)
        }
        handler.onDone = {
            story.result("done")
            done.resume()
        }
        let call = agent.get("/data/slow", delegate: handler)
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(100)) { call.cancel() }
    }
}
