/**
 * The digests of private keys that ship with the tests of Go, Python and widely used libraries. Written by
 * `scripts/test-keys.ts`.
 */
export const TEST_KEYS = `
+h7L8uZR +w3LsXNb +wDk5hzK /7uMmZr8 /WgUNc0J /Yex5klz 0/WaZjl/ 0AFf/S1T 0EdldXXN 0Koynsa6 0sIFw11x 13ju73Mo
1L84mBoE 1jz+fQeD 1kFGzLNY 1p9SDPpu 29nDSjxK 2S5g2Cei 2ktHOVOx 3CEQum2a 3PrtVA+9 3fyWfDYp 3vzaQi4C 3xR6Q6DA
3xsTjqsv 4/5sqUdq 4llXqkMU 56VJnLah 6/CxWHyc 69O397u/ 6EMaNroq 6FMMD5HS 6bkuK05W 72X3lsdh 79AHq7Re 7PR08Hmt
7X2Eubvp 7gEnHuIv 7uMLJbL2 88jPBfRQ 9zGQec/k AtVi7BO2 AuQ7itt7 BMMXapjl BqyZ5ccR C6oy/R+9 CCCtN/NM CtQj39XR
Cwk50hI3 Cx5lBR15 D5WiWC09 DWjmcwUN DammtI1J DdtOqt+j ERX3oG+W EUWdbXmx F+w+nHPn F/M+MCr7 F8STXHik FDxwcrO0
FSn02zhh FU0stGMQ GbIW1UCJ HYhC1xUf Hb8YKmTL IRmSf7lv IcCpYrVY IiG3Kde3 ItWodIew J2d6yYia J8JBReJ8 JE3xeA7Q
JJcjODed JV/gKmf3 JZlGLdZF Jn0fbxVS JurcMS+x K7bUlkby KBjosNCg KQjLX5wb KVbM9BQs KbBZZGhu Kl5SowPt LDuWbVm7
LhMkI7gd M6JLIDg/ MFnO6xIr MPUm3RJ9 MTeEYjl5 MUvdM+To MzCp+DgE N5kS6plm NUfsTWmx NWsOe+Jj NiYzeR/4 OAJO8OPC
OB/U8IVZ OEQuK0Le OHevI6YU P2yI5wfJ P3N9w55t PULO3TsZ Pb3Yy3W2 Pn8nb3kV Q+rzdiQM QWNfOUen R6lfKFjq RYiq4dLh
S5MYQQ9k SDj5d5qm SZa7O0gB SceyQ8xj Sh7iuJzY T8KX8y8K TB3wvuC1 UCny361n UNzPtpwd UseaxyiF V0zX9foH VH5bmA+k
VeL8Sv10 VkyxL9RB XB30VGyy ZExLLREN ZaIAAX07 ZgESNAFi a05s2VC9 aH8taUUC aYSW0NfN am0xJkem avtX2ESb bM6o4EZ8
bqnBQqsp brN12LNK btMGT04Y byHvd2cw cJDlOS9x cg56/48s crFlLjby cy/VAsUY czv0h32Y dLInabvJ e2hOeFTo eTM4uTnX
fJe7NKrt faD9rHe9 gCVPkdDw gMkbxbMM gOYNQdib gQOrREGg h7E+7NRu iIT4wOLv iLsFdo7Y ilAWlYqa j3WBQ9NR jy2ICkYn
jyeDjSip kNne+1Ih kd/xxJQE lvPmeSSd m7JGtJ01 ms4dRT8Q nKovOA5Z nbkmmxR9 o5LXh3Rh oeRiIOsH om3lZzbm orbcAGkb
p/mp08We pLE8e7py pbzsSsNF qLnbM3cI qMB6mnzY qMRtCD9g qWrlXD62 qpWv8s1O qqwPsH0o r7kw9OHr rYPtGvZI rcvkXAng
rm2uYc+Y sG2XhD8G sb0DTmxf t/JqT1cE t39PGTmr tOgR7yCE ts2mkm5J ua3lZFc9 vDNxwOZc viETNaZy vrLmGabc vxowqyt7
w+ypZCnE w0xkalGC wh9fxSXN wm7RA+hd xFJQMuOG xL3tQBUV xP5phkr3 yBNb77g0 yFps5OQ5 ykkfTsxj ytj4LTI3 zDrOlvbn
zF4+Qhlj zxbDjy3z
`;
