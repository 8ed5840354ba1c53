// Every spelling of the vendor's API that the guide promises, against the public API, as an app writes it in Swift 5 or
// 6. `// |` precedes a row of the specification's table; .ci/check-akula looks for each row here.
import Akula
import Foundation

func agents() -> AKServerAgent {
    // | *`+[AKServerAgent initialize:]` -> `AKServerAgent.initialize(_ baseURL:)`*
    AKServerAgent.initialize("https://example.com/akula/app")
    // | `AKHTTPAgent` -> `AKHTTPAgent()`
    let agent: AKHTTPAgent = AKHTTPAgent()
    // | `AKServerAgent` -> `AKServerAgent()`
    let server: AKServerAgent = AKServerAgent()
    // | `requestData` (property) -> `requestData: AKHTTPRequestData`
    let data: AKHTTPRequestData = agent.requestData
    data.addHeader("X-Name", value: "value")
    server.requestData = AKHTTPRequestData()
    return server
}

func requestData() -> AKHTTPRequestData {
    let data = AKHTTPRequestData()
    // | *`addHeader:value:` -> `addHeader(_:value:)`*
    data.addHeader("X-Name", value: "value")
    // | *`addQueryParameter:value:` -> `addQueryParameter(_:value:)`*
    data.addQueryParameter("region", value: "east")
    // | *removeHeader:, removeQueryParameter:, clearHeaders, clearQueryParameters*
    data.removeHeader("X-Name")
    data.removeQueryParameter("region")
    data.clearHeaders()
    data.clearQueryParameters()
    // | `bodyData` (property) -> `bodyData: AKHTTPBody?`
    let body: AKHTTPBody? = data.bodyData
    data.bodyData = body
    // | *`AKJSONHTTPBody initWithObject:` -> `AKJSONHTTPBody(object:)`*
    data.bodyData = AKJSONHTTPBody(object: ["name": "Ann", "age": 1])
    data.bodyData = AKJSONHTTPBody(object: [1, 2])
    // | *`AKTextHTTPBody initWithString:` -> `AKTextHTTPBody(string:)`*
    data.bodyData = AKTextHTTPBody(string: "text")
    // | *`AKDataHTTPBody initWithData:contentType:`*
    data.bodyData = AKDataHTTPBody(data: Data(), contentType: "image/png")
    data.bodyData = nil
    return data
}

func calls(_ agent: AKServerAgent, _ data: AKHTTPRequestData, _ delegate: AKHTTPResponseDelegate) {
    // | *`get:delegate:`, `get:requestData:delegate:` -> `get(_:delegate:)`, `get(_:requestData:delegate:)`*
    agent.get("/data/x", delegate: delegate)
    agent.get("/data/x", requestData: data, delegate: delegate)
    agent.get("/data/x", requestData: nil, delegate: nil)
    // | *`post:requestData:delegate:`, `put:requestData:delegate:`, `delete:delegate:`, `delete:requestData:delegate:`*
    agent.post("/data/x", requestData: data, delegate: delegate)
    agent.put("/data/x", requestData: data, delegate: delegate)
    agent.delete("/data/x", delegate: delegate)
    agent.delete("/data/x", requestData: data, delegate: delegate)
    // | *`AKHTTPRequestOptions.timeout`*
    var options = AKHTTPRequestOptions()
    options.timeout = 3000
    agent.get("/data/x", requestData: data, options: options, delegate: delegate)
    agent.get("/data/x", options: AKHTTPRequestOptions(timeout: 3000), delegate: delegate)
    AKHTTPAgent().get("https://example.com/", delegate: delegate)
}

func blockingCalls(_ agent: AKServerAgent, _ data: AKHTTPRequestData) throws {
    // | *`getSync:error:`, `getSync:requestData:error:` -> `getSync(_:requestData:) throws -> AKHTTPResponse`*
    var response: AKHTTPResponse? = try agent.getSync("/data/x")
    response = try agent.getSync("/data/x", requestData: data)
    var error: NSError?
    response = agent.getSync("/data/x", error: &error)
    response = agent.getSync("/data/x", requestData: data, error: &error)
    if error == nil { print(response?.statusCode ?? 0, response?.text ?? "") }
    // | *postSync / putSync / deleteSync, same shape*
    try agent.postSync("/data/x", requestData: data)
    try agent.putSync("/data/x", requestData: data)
    try agent.deleteSync("/data/x")
    agent.postSync("/data/x", requestData: data, error: &error)
    agent.putSync("/data/x", requestData: data, error: &error)
    agent.deleteSync("/data/x", error: &error)
    agent.deleteSync("/data/x", requestData: data, error: &error)
}

// | `AKHTTPResponseDelegate` -> protocol
final class Screen: AKHTTPResponseDelegate {
    // | *`responseDidSucceed:statusCode:` / `responseDidFail:response:` / `responseDone`*
    func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) { print(response.data.count, statusCode) }
    func responseDidFail(_ error: AKError, response: AKHTTPResponse?) { print(error.localizedDescription) }
    func responseDone() {}
}

final class TextScreen: AKTextHTTPResponseHandler {
    override func responseDidSucceed(text: String, statusCode: Int) {}
    override func responseDidFail(_ error: AKError, text: String?) {}
    override func responseDone() {}
}

final class JSONScreen: AKJSONHTTPResponseHandler {
    override func responseDidSucceed(object: [String: Any]?, statusCode: Int) {}
    override func responseDidSucceed(array: [Any], statusCode: Int) {}
    override func responseDidFail(_ error: AKError, object: Any?) {}
}

final class RawScreen: AKRawHTTPResponseHandler {
    override func responseDidSucceed(_ response: AKHTTPResponse, statusCode: Int) {}
    override func responseDidFail(_ error: AKError, response: AKHTTPResponse?) {}
}

func handlers(_ agent: AKServerAgent) {
    // | `AKTextHTTPResponseHandler`
    let text = AKTextHTTPResponseHandler()
    text.onSuccess = { text, status in print(text.count, status) }
    text.onFailure = { error, text in print(error.statusCode ?? 0, text ?? "") }
    text.onDone = {}
    agent.get("/data/text", delegate: text)
    // | `AKJSONHTTPResponseHandler`
    let json = AKJSONHTTPResponseHandler()
    json.onObject = { object, status in print(object?["name"] ?? "", status) }
    json.onArray = { array, status in print(array.count, status) }
    json.onFailure = { error, object in print(error.serverError?.transaction ?? "", object ?? "") }
    agent.get("/data/json", delegate: json)
    // | *`AKRawHTTPResponseHandler`*
    let raw = AKRawHTTPResponseHandler()
    raw.onSuccess = { response in print(response.statusCode) }
    raw.onFailure = { error, response in print(error, response?.statusCode ?? 0) }
    agent.get("/data/raw", delegate: raw)
    for screen in [TextScreen(), JSONScreen(), RawScreen()] as [AKHTTPResponseHandler] {
        agent.get("/data/x", delegate: screen)
    }
}

func session(_ delegate: AKHTTPResponseDelegate) throws {
    // | *`AKSession.login(_:…)`, `logout`, `current.token`*
    AKSession.login(principal: ["user": "ann"], secret: ["password": "secret"], delegate: delegate)
    try AKSession.loginSync(principal: ["user": "ann"], secret: ["password": "secret"])
    let token: String? = AKSession.current?.token
    print(token ?? "")
    AKSession.logout(delegate: delegate)
    try AKSession.logoutSync()
}

// Names only; .ci/check-akula checks that their error says so.
// | `AKTransactionServerAgent`, `AKTransactionStatus`
