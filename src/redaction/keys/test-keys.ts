/**
 * The digests of private keys that ship with the tests of Go, Python and widely used libraries. Written by
 * `scripts/test-keys.ts`.
 */
export const TEST_KEYS = `
+h7L8uZR +w3LsXNb /WgUNc0J /Yex5klz 0/WaZjl/ 0AFf/S1T 0EdldXXN 0sIFw11x 13ju73Mo 1L84mBoE 1jz+fQeD 1kFGzLNY
29nDSjxK 2S5g2Cei 2ktHOVOx 3CEQum2a 3vzaQi4C 3xsTjqsv 4/5sqUdq 56VJnLah 6/CxWHyc 69O397u/ 6FMMD5HS 72X3lsdh
79AHq7Re 7PR08Hmt 7X2Eubvp 7gEnHuIv 7uMLJbL2 88jPBfRQ 9zGQec/k AtVi7BO2 AuQ7itt7 BqyZ5ccR C6oy/R+9 CCCtN/NM
D5WiWC09 DammtI1J DdtOqt+j ERX3oG+W EUWdbXmx F+w+nHPn FDxwcrO0 GbIW1UCJ HYhC1xUf Hb8YKmTL IRmSf7lv IcCpYrVY
ItWodIew J2d6yYia J8JBReJ8 JE3xeA7Q JV/gKmf3 JZlGLdZF Jn0fbxVS JurcMS+x KVbM9BQs KbBZZGhu Kl5SowPt LDuWbVm7
LhMkI7gd MFnO6xIr MTeEYjl5 MUvdM+To N5kS6plm NWsOe+Jj NiYzeR/4 OAJO8OPC OB/U8IVZ OEQuK0Le OHevI6YU P2yI5wfJ
P3N9w55t Pb3Yy3W2 Pn8nb3kV Q+rzdiQM QWNfOUen S5MYQQ9k SDj5d5qm SceyQ8xj Sh7iuJzY TB3wvuC1 UCny361n UNzPtpwd
UseaxyiF V0zX9foH VeL8Sv10 VkyxL9RB XB30VGyy ZaIAAX07 ZgESNAFi a05s2VC9 aH8taUUC brN12LNK btMGT04Y byHvd2cw
cJDlOS9x cg56/48s crFlLjby cy/VAsUY czv0h32Y e2hOeFTo fJe7NKrt faD9rHe9 gCVPkdDw gMkbxbMM h7E+7NRu iIT4wOLv
iLsFdo7Y ilAWlYqa jy2ICkYn kNne+1Ih kd/xxJQE lvPmeSSd ms4dRT8Q nKovOA5Z o5LXh3Rh orbcAGkb pLE8e7py pbzsSsNF
qLnbM3cI qMB6mnzY qWrlXD62 qpWv8s1O qqwPsH0o r7kw9OHr rYPtGvZI sG2XhD8G sb0DTmxf t/JqT1cE t39PGTmr tOgR7yCE
ua3lZFc9 vDNxwOZc viETNaZy vrLmGabc w+ypZCnE w0xkalGC wh9fxSXN xFJQMuOG yBNb77g0 zDrOlvbn zF4+Qhlj
`;
