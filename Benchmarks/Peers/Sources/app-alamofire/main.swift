import Alamofire

let address = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1/"
print(try await AF.request(address + "item").validate().serializingDecodable([String: Int].self).value)
