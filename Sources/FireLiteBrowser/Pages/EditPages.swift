import FireLite
import FireLiteCore
import FireLiteService
import Foundation

/// Changes of resources, if they are allowed.
enum EditPages {
    static func form(_ call: PageCall, _ type: String, _ id: String) throws -> ServiceResponse { throw PageProblem.nowhere }
    static func post(_ address: Address, _ request: ServiceRequest, _ browser: StoreBrowser) async throws -> ServiceResponse {
        throw PageProblem.nowhere
    }
}
