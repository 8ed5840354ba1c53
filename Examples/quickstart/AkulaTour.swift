import Akula
import Delegation
import Dispatch
import HTTPMessages
import PatchbayTestKit
import ResponseDecoding

/// Shows the main uses of Akula's API.
func akulaTour(base: String, arguments: Arguments, server: LoopbackServer?) async throws {
    let transcript = Transcript(server: server)
    AKServerAgent.initialize(base)
    let agent = AKServerAgent()

    transcript.section("Log in")
    // show
    let session = try await AKSession.login(
        principal: ["user": .string(arguments.user)], secret: ["password": .string(arguments.password)])
    // end
    transcript.showRequests()
    transcript.showResult(session)

    try await getForDelegate(agent, transcript)
    try getAndWait(agent, transcript)
    try await postItem(agent, transcript)
    await getMissing(agent, transcript)
    await cancel(agent, transcript)

    transcript.section("Log out")
    // show
    try await AKSession.logout()
    // end
    transcript.showRequests()
    transcript.showResult(AKSession.current.map(\.description) ?? "logged out")
}

/// Sends a GET for a delegate. The call's headers and parameters are merged over the agent's.
private func getForDelegate(_ agent: AKServerAgent, _ transcript: Transcript) async throws {
    transcript.section("GET for a delegate, with merged headers and query")
    // show
    agent.requestData.addHeader("X-Client", value: "quickstart")
    agent.requestData.addQueryParameter("region", value: "north")
    let data = AKHTTPRequestData()
    data.addQueryParameter("region", value: "east & south")
    await withCheckedContinuation { done in
        let handler = AKJSONHTTPResponseHandler()
        handler.onObject = { object, status in
            transcript.showRequests()
            transcript.showResult("\(status), query as the server saw it: \(object?["query"] ?? "none")")
        }
        handler.onFailure = { error, _ in transcript.showResult("failure: \(error)") }
        handler.onDone = { done.resume() }
        agent.get("/data/jsonData", requestData: data, delegate: handler)
    }
    // end
    agent.requestData.clearQueryParameters()
}

/// Sends a blocking GET. The response is in ISO 8859-1, as declared by its Content-Type.
private func getAndWait(_ agent: AKServerAgent, _ transcript: Transcript) throws {
    transcript.section("Blocking GET")
    // show
    let response = try agent.getSync("/data/text")
    // end
    transcript.showRequests()
    transcript.showResult("\(response.statusCode) \(response.text)")
}

private struct Item: Codable {
    let id: Int
    let name: String
}

/// Sends a POST with async/await and decodes the response.
private func postItem(_ agent: AKServerAgent, _ transcript: Transcript) async throws {
    transcript.section("POST with async/await, decoded")
    // show
    let data = AKHTTPRequestData()
    data.bodyData = AKJSONHTTPBody(object: ["name": "jack plate"])
    let item = try await agent.post("/data/items", requestData: data, as: .json(Item.self))
    // end
    transcript.showRequests()
    transcript.showResult("item \(item.id), \(item.name)")
}

/// Gets a missing endpoint and decodes the server's own error.
private func getMissing(_ agent: AKServerAgent, _ transcript: Transcript) async {
    transcript.section("A 404 and its error")
    // show
    do {
        let response = try await agent.get("/data/nothing")
        transcript.showResult(response)
    } catch {
        transcript.showRequests()
        transcript.showResult(error)
        if let server = error.serverError {
            transcript.showResult("code \(server.code), transaction \(server.transaction ?? "none"), \(server.text)")
        }
    }
    // end
}

/// Cancels a call that would never end. The handler gets one failure, then `onDone`.
private func cancel(_ agent: AKServerAgent, _ transcript: Transcript) async {
    transcript.section("Cancellation")
    await withCheckedContinuation { done in
        let handler = AKTextHTTPResponseHandler()
        handler.onSuccess = { text, status in transcript.showResult("\(status) \(text)") }
        handler.onFailure = { error, _ in
            transcript.showRequests()
            transcript.showResult(error)
        }
        handler.onDone = {
            transcript.showResult("done")
            done.resume()
        }
        // show
        let call = agent.get("/data/slow", delegate: handler)
        DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(100)) { call.cancel() }
        // end
    }
}
