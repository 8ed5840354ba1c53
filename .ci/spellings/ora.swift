// Every spelling of the vendor's API that the guide promises, against the public API, as an app writes it in Swift 5 or
// 6. `// |` precedes a row of the specification's table; .ci/check-oracle-seed looks for each row here.
import Foundation
import OracleCX

func request() {
    // | `initWithURL:` -> `ORARequest(url:)`
    let request: ORARequest = ORARequest(url: "https://example.com/xyz")
    // | `initWithPayload:` -> `ORARequest(payload:)`
    let second = ORARequest(payload: ["name": "value"])
    // | `url` -> `url: String?`
    second.url = "https://example.com/xyz"
    let url: String? = second.url
    // | `requestType` -> `requestType` with globals `POST`, `GET`
    request.requestType = POST
    request.requestType = GET
    request.requestType = .post
    // | `payload` -> `payload: [AnyHashable: Any]?`
    request.payload = ["name": "value", 1: [1, 2]]
    request.payload = nil
    // | `requestBody` -> `requestBody: Data?`
    request.requestBody = Data("{}".utf8)
    // | `headers` -> `headers: [AnyHashable: Any]?`
    request.headers = ["Accept": "application/json"]
    // | `compression` -> `compression: Bool`
    request.compression = true
    // | `retryCount` -> `retryCount: Int`
    request.retryCount = 15
    // | `priority`, and `priotity` as a second name -> globals `Immediate`, `Normal`
    request.priority = Immediate
    request.priotity = Normal
    request.priority = .immediate
    // | `requestTag`, and `requestTAG` as a second name
    request.requestTag = "tag"
    request.requestTAG = "tag"
    send(request)
    send(second)
    print(url ?? "")
}

func send(_ request: ORARequest) {
    // | `+sharedManager` -> `ORAHTTPManager.shared()`
    let manager: ORAHTTPManager = ORAHTTPManager.shared()
    // | `addRequest:completionHandler:` -> `addRequest(_:completionHandler:)`
    manager.addRequest(request, completionHandler: { response in print(response.requestTag ?? "") })
    manager.addRequest(request) { (response: ORAResponse) in
        // | ORAResponse `response`, `data`, `error`, `requestTag`/`requestTAG`
        print(response.response?.expectedContentLength ?? 0, response.data?.count ?? 0)
        print(response.error?.localizedDescription ?? "", response.requestTag ?? "", response.requestTAG ?? "")
        if let error = response.error as NSError? { print(error.domain, error.code) }
    }
}

func settings() {
    // | `[ORACoreDataContainer new]` -> `ORACoreDataContainer()`
    let container: ORACoreDataContainer = ORACoreDataContainer()
    // | `ORAConfigHTTPBackgroundTaskEnabled`
    let key = ORAConfigHTTPBackgroundTaskEnabled()
    // | `putValue:forKey:` -> `putValue(_:forKey:)` (discardable Bool)
    container.putValue("true", forKey: key)
    let isStored: Bool = container.putValue("false", forKey: ORAConfigHTTPBackgroundTaskEnabled())
    // | *`getValue:` -> `getValue(_:) -> String?`*
    let value: String? = container.getValue(key)
    print(isStored, value ?? "", key.isValid("true"), key.keyName() ?? "", key.getDefaultValue() ?? "")
}

// | `ORAConfigSetting`: keyName, keyDescription, getDefaultValue, isValid:
final class Region: ORAConfigSetting {
    override func keyName() -> String? { "region" }
    override func keyDescription() -> String? { "The region of the app." }
    override func getDefaultValue() -> String? { "east" }
    override func isValid(_ value: String) -> Bool { ["east", "west"].contains(value) }
}

final class IsFast: ORABooleanSetting {
    override func keyName() -> String? { "fast" }
}

final class Container: ORABaseDataContainer {
    // | `getModuleId`, `getConfig:`
    override func getModuleId() -> String? { "MYAPP" }
    override func getConfig(_ key: String) -> ORAConfigSetting? { key == "region" ? Region() : nil }
}

func ownSettings() {
    let container = Container()
    container.putValue("west", forKey: Region())
    container.putValue("true", forKey: IsFast())
    print(container.getValue(Region()) ?? "", container.getConfig("region")?.keyDescription() ?? "")
}
