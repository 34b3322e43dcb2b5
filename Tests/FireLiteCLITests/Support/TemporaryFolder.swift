import TestSupport

typealias TemporaryFolder = TestSupport.TemporaryFolder
